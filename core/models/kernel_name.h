// What the name of a kernel tells: the type of its numbers, the units that it runs on, and its part
// in an operator that launches several.
#pragma once

#include <string_view>

#include "core/models/data_type.h"

namespace lanescope {

enum class KernelRole : uint8_t {
    main,
    helper,           // moves or sums what the main ones need
    data_gradient,    // of a convolution
    weight_gradient,  // of a convolution
};

struct KernelFacts {
    DataType type = DataType::unknown;  // of a matrix kernel's operands
    Pipe pipe = Pipe::vector;
    bool is_matrix = false;    // a rule for matrix kernels, convolutions or attention holds
    bool transformed = false;  // Winograd or FFT: fewer operations than a plain one needs
    KernelRole role = KernelRole::main;
    DataType element = DataType::unknown;  // of any kernel: as its template arguments say
};

// Goes through some thirty patterns: once for each distinct name.
KernelFacts facts_of_kernel(std::string_view name);

}  // namespace lanescope
