// Finds the description of a GPU in a trace, in which several files may have a GPU 0 each.
#pragma once

#include <cstdint>

#include "core/trace/trace.h"

namespace lanescope {

// The device of a part (0 in a trace of one file) with this ordinal; null: the file describes none.
const Device* device_of(const Trace& trace, uint32_t part, int32_t id);

// Returns the device with this ordinal. If the part's file describes only devices with other
// ordinals, and all of them have the same name, returns one of them. Otherwise returns null. A
// process may number its devices from 0 and the file by the machine, and files of several ranks may
// describe only one of several equal devices.
const Device* device_like(const Trace& trace, uint32_t part, int32_t id);

}  // namespace lanescope
