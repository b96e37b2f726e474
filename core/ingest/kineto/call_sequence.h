// The sequence number of a collective among the inputs of PyTorch's "record_param_comms".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope {

// `types`, `values`: "Input type" and "Concrete Inputs", as in the file. The first input is the
// number, or a tensor that the number follows. Empty: the number is not a plain one; later versions
// of PyTorch make it part of a tuple, which has no text here, and record it as "Seq".
std::optional<int64_t> call_sequence(std::string_view types, std::string_view values);

}  // namespace lanescope
