// Reads the row of an event from an Nsight Systems export on demand.
#pragma once

#include <memory>

#include "core/ingest/argument_scan.h"
#include "core/ingest/format.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_nsight_argument_reader(const TraceInput& input);
std::unique_ptr<ArgumentScan> make_nsight_argument_scan(const TraceInput& input);

}  // namespace lanescope
