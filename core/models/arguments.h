// Reads an operator's arguments as profilers write them: shapes, types, strides and plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/models/data_type.h"
#include "core/trace/schema.h"

namespace lanescope {

using Shape = std::vector<int64_t>;

// The shape of one input; for a list of tensors, the shape of each.
struct InputShape {
    Shape shape;
    std::vector<Shape> list;
};

// Parses "[[8, 16], [], [[2], [3]]]". Empty if the text is not such a list of integers.
std::optional<std::vector<InputShape>> parse_dims(std::string_view dims);

// The texts in a list of strings: ["", "[1, 1]", "1"]; escapes stay as written.
std::vector<std::string_view> strings_in(std::string_view list);

// All integers in a text like "[3, 3]"; brackets and everything else are skipped.
Shape numbers_in(std::string_view text);

// Parses a text that is a single integer.
std::optional<int64_t> number_of(std::string_view text);

struct Input {
    Shape shape;
    std::vector<Shape> list;    // shapes of a list of tensors
    Shape strides;              // one for each dimension; empty: not recorded
    std::string_view type;      // as written; empty: an undefined tensor, or not recorded
    std::string_view concrete;  // the value of a plain argument
    DataType data_type = DataType::unknown;
    bool is_list = false;
    bool strides_misfit = false;  // recorded, but not one for each dimension

    // Whether this is a tensor, possibly of dimension zero. An input without type and dimensions is
    // not.
    bool is_tensor() const {
        return data_type != DataType::unknown || (!shape.empty() && list.empty() && !is_list);
    }
};

// Texts of "Input Dims", "Input type", "Input Strides" and "Concrete Inputs"; empty: not recorded.
struct ArgumentTexts {
    std::string_view dims;
    std::string_view types;
    std::string_view strides;
    std::string_view concrete;
};

// One for each argument; the results refer to the given texts. Empty if there are no dims, or if a
// text is not a list or does not match the dims. Strides that do not match are dropped and marked.
std::optional<std::vector<Input>> parse_inputs(const ArgumentTexts& texts);

// Inductor's estimates for a Triton kernel that it generated; kNoValue: unknown, which Inductor may
// also write as 0.
struct KernelEstimate {
    int64_t bytes = kNoValue;  // read and written
    int64_t flop = kNoValue;   // of matrix products, convolutions and attention

    bool any() const { return bytes != kNoValue || flop != kNoValue; }
};

// Parses the texts of "kernel_num_gb" (10^9 bytes) and "kernel_flop"; empty: not recorded. A text
// that is not a number from 0 to 2^63 counts as unknown.
KernelEstimate parse_estimate(std::string_view gigabytes, std::string_view flop);

}  // namespace lanescope
