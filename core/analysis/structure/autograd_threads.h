// Which threads run operators, and which run autograd's backward pass.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Names that autograd itself gives: "AddBackward0", "CudnnConvolutionBackward",
// "autograd::engine::evaluate_function: …".
bool is_backward_node(std::string_view name);

enum class Runs : uint8_t { no_operators, operators, backward };

// By lane. Backward operators record the thread of their forward operators; in old files only their
// own name shows that they run a backward pass.
std::vector<Runs> what_lanes_run(const Trace& trace);

}  // namespace lanescope
