// Times in which the host prepares the input of steps while the GPU idles.
#pragma once

#include <string_view>

#include "core/insight/findings/rule.h"

namespace lanescope {

// Whether a Python frame belongs to a library that reads or prepares input: images, text, sound,
// video. Not what it does with results, such as decoding tokens.
bool is_input_function(std::string_view name);

// `window`: with its steps, its times and what it waits for its data loader.
InputWork input_work(const TraceContext& context, const DeviceWindow& window);

}  // namespace lanescope
