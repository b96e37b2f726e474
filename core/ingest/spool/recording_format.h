// Recordings of `lanescope record`: spool files.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& recording_format();

}  // namespace lanescope
