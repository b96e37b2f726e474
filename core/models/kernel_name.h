// Facts from a kernel's name: data type, execution units, and role in an operator that launches
// several kernels.
#pragma once

#include <string_view>

#include "core/models/data_type.h"

namespace lanescope {

enum class KernelRole : uint8_t {
    main,
    helper,           // moves or sums data for the main kernels
    data_gradient,    // gradient of a convolution with respect to its input
    weight_gradient,  // gradient of a convolution with respect to its weights
};

struct KernelFacts {
    DataType type = DataType::unknown;  // of a matrix kernel's operands
    Pipe pipe = Pipe::vector;
    bool is_matrix = false;    // a rule for matrix kernels, convolutions or attention matches
    bool transformed = false;  // Winograd or FFT: fewer operations than the direct algorithm
    KernelRole role = KernelRole::main;
    DataType element = DataType::unknown;  // of any kernel, from its template arguments
};

// Tries some thirty patterns: call it once for each distinct name.
KernelFacts facts_of_kernel(std::string_view name);

}  // namespace lanescope
