// Reads the row of a single event again from an export of Nsight Systems.
#pragma once

#include <memory>

#include "core/ingest/argument_scan.h"
#include "core/ingest/format.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_nsight_argument_reader(const TraceInput& input);
std::unique_ptr<ArgumentScan> make_nsight_argument_scan(const TraceInput& input);

}  // namespace lanescope
