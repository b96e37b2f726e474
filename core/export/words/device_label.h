// How sentences name a GPU.
#pragma once

#include <string>

#include "core/insight/summary/summary.h"

namespace lanescope {

// "GPU 0", or "GPU 0 of 4711" if several processes of the trace have that ordinal.
std::string device_label(const Trace& trace, const Summary& summary, uint32_t device);

}  // namespace lanescope
