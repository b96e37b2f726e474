// Perfetto's protobuf traces, of any program that writes them.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& perfetto_format();

}  // namespace lanescope
