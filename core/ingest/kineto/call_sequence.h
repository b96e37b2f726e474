// The sequence number of a collective, from the inputs of PyTorch's "record_param_comms".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope {

// `types`, `values`: "Input type" and "Concrete Inputs", as in the file. The number is the first
// input, or follows a tensor. Empty: later versions of PyTorch put the number into a tuple, which
// has no text here, and record it as "Seq".
std::optional<int64_t> call_sequence(std::string_view types, std::string_view values);

}  // namespace lanescope
