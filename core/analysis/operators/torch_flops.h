// What torch's profiler derives from an operator's arguments: its input shapes and, with
// `with_flops`, the work of the few operators that torch has formulas for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/models/arguments.h"

namespace lanescope {

// Parses "[[8, 16], [], [[2], [3]]]" to one shape for each input, empty for scalars and lists of
// tensors. Empty result if the text is not such a list.
std::optional<std::vector<Shape>> parse_shapes(std::string_view dims);

// The shapes as Python prints them: "[[8, 16], [], []]".
std::string spell_shapes(const std::vector<Shape>& shapes);

// FLOPs by torch/csrc/profiler/util.cpp: only mm, addmm, bmm, baddbmm, conv2d, mul and add. `dims`
// and `concrete` are the texts of "Input Dims" and "Concrete Inputs". Empty for other operators,
// and if the arguments are insufficient.
std::optional<int64_t> torch_flops(std::string_view op, std::string_view dims,
                                   std::string_view concrete);
// The operators that torch has a formula for.
inline constexpr std::array<std::string_view, 7> kTorchFlopNames = {
    "aten::mm",     "aten::addmm", "aten::bmm", "aten::baddbmm",
    "aten::conv2d", "aten::mul",   "aten::add"};

}  // namespace lanescope
