// Reads the arguments of events of an XSpace again from its file.
#pragma once

#include <memory>

#include "core/ingest/format.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_xspace_argument_reader(const TraceInput& input);
std::unique_ptr<ArgumentScan> make_xspace_argument_scan(const TraceInput& input);

}  // namespace lanescope
