// What torch's profiler says of an operator's arguments: its input shapes, and with `with_flops`
// the work of the few operators that it has formulas for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/models/arguments.h"

namespace lanescope {

// "[[8, 16], [], [[2], [3]]]" as one shape for each input; scalars and lists of tensors have an
// empty one. Nothing when the text is no such list.
std::optional<std::vector<Shape>> parse_shapes(std::string_view dims);

// The shapes as Python writes them: "[[8, 16], [], []]".
std::string spell_shapes(const std::vector<Shape>& shapes);

// FLOPs by torch/csrc/profiler/util.cpp: mm, addmm, bmm, baddbmm, conv2d, mul, add and nothing
// else. `dims` and `concrete` are the texts of "Input Dims" and "Concrete Inputs". Nothing for
// other operators, and where the arguments do not say it.
std::optional<int64_t> torch_flops(std::string_view op, std::string_view dims,
                                   std::string_view concrete);
// The operators that torch has a formula for.
inline constexpr std::array<std::string_view, 7> kTorchFlopNames = {
    "aten::mm",     "aten::addmm", "aten::bmm", "aten::baddbmm",
    "aten::conv2d", "aten::mul",   "aten::add"};

}  // namespace lanescope
