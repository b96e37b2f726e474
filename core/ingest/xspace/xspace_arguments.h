// Reads the arguments of XSpace events from the file on demand.
#pragma once

#include <memory>

#include "core/ingest/format.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_xspace_argument_reader(const TraceInput& input);
std::unique_ptr<ArgumentScan> make_xspace_argument_scan(const TraceInput& input);

}  // namespace lanescope
