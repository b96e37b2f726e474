// What a collective sent and to how many ranks, from texts that the file records for other
// purposes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/trace.h"

namespace lanescope {

struct MessageShape {
    int64_t elements = 0;
    std::string_view dtype;  // a part of `types`
};

// Parses an operator's inputs ("[[8, 1024], []]", "[\"float\", \"Scalar\"]"); returns the tensors'
// elements. Empty if there is no tensor, if types differ, or if an input is a list of tensors.
std::optional<MessageShape> message_shape(std::string_view dims, std::string_view types);

// The fraction of an all-to-all's data that leaves its rank. `split`: rows by rank, "[1, 2]";
// `ranks`: of the group. Empty if the sizes are equal or unknown.
std::optional<double> sent_share(std::string_view split, std::string_view ranks, int64_t rank);

// From "distributedInfo"; kNoValue: not in the file.
int64_t world_size(const Trace& trace);
int64_t own_rank(const Trace& trace);

}  // namespace lanescope
