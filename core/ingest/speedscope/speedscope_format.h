// Files of speedscope.app, written by py-spy and other profilers.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& speedscope_format();

}  // namespace lanescope
