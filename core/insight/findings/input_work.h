// Times in which the host prepares input for steps while the GPU idles.
#pragma once

#include <string_view>

#include "core/insight/findings/rule.h"

namespace lanescope {

// Whether a Python frame belongs to a library that reads or prepares input: images, text, sound,
// video. Excludes processing of results, such as decoding tokens.
bool is_input_function(std::string_view name);

// `window`: with its steps, times, and time spent waiting for the data loader.
InputWork input_work(const TraceContext& context, const DeviceWindow& window);

}  // namespace lanescope
