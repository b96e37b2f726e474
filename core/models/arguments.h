// The arguments of an operator as profilers write them: shapes, types, strides and plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/models/data_type.h"
#include "core/trace/side_tables.h"

namespace lanescope {

using Shape = std::vector<int64_t>;

// The shape of one input; of a list of tensors one for each.
struct InputShape {
    Shape shape;
    std::vector<Shape> list;
};

// "[[8, 16], [], [[2], [3]]]". Nothing when the text is no such list of whole numbers.
std::optional<std::vector<InputShape>> parse_dims(std::string_view dims);

// The texts of a list of strings: ["", "[1, 1]", "1"]; escapes stay as they are written.
std::vector<std::string_view> strings_in(std::string_view list);

// Whole numbers of a text like "[3, 3]", brackets and all else passed over.
Shape numbers_in(std::string_view text);

// One whole number and nothing else.
std::optional<int64_t> number_of(std::string_view text);

struct Input {
    Shape shape;
    std::vector<Shape> list;    // of a list of tensors
    Shape strides;              // one for each size; empty: not recorded
    std::string_view type;      // as written; empty: an undefined tensor, or not recorded
    std::string_view concrete;  // the value of a plain argument
    DataType data_type = DataType::unknown;
    bool is_list = false;
    bool strides_misfit = false;  // recorded, but no list of one for each size

    // Whether there is a tensor, be it of no dimension. One of no type and no dimension is none.
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

// One for each argument; texts point into what was given. Nothing without dims, or where a text is
// no list or does not go with the dims. Strides that do not are left out, and marked.
std::optional<std::vector<Input>> parse_inputs(const ArgumentTexts& texts);

// What Inductor estimates of a Triton kernel that it made; kNoValue: not told, for which it also
// writes 0.
struct KernelEstimate {
    int64_t bytes = kNoValue;  // read and written
    int64_t flop = kNoValue;   // of products, convolutions and attention

    bool any() const { return bytes != kNoValue || flop != kNoValue; }
};

// Of the texts of "kernel_num_gb" (10^9 bytes) and "kernel_flop"; empty: not recorded. What is no
// number from 0 to 2^63 is not told.
KernelEstimate parse_estimate(std::string_view gigabytes, std::string_view flop);

}  // namespace lanescope
