// Perfetto protobuf traces of any program.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& perfetto_format();

}  // namespace lanescope
