// Reads the arguments of events from their packets on demand.
#pragma once

#include <memory>

#include "core/ingest/format.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> read_packet_arguments(const TraceInput& input);
std::unique_ptr<ArgumentScan> scan_packet_arguments(const TraceInput& input);

}  // namespace lanescope
