// What a collective sent and to how many, from texts of the file that were written for other ends.
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

// Of inputs as an operator has them ("[[8, 1024], []]", "[\"float\", \"Scalar\"]"): the tensors'
// elements. Nothing where no tensor is among them, or tensors of several types, or a list of them.
std::optional<MessageShape> message_shape(std::string_view dims, std::string_view types);

// The part of an all-to-all that leaves its rank: all but what it keeps. `split`: rows by rank,
// "[1, 2]"; `ranks`: of the group. Nothing where the sizes are even or not known.
std::optional<double> sent_share(std::string_view split, std::string_view ranks, int64_t rank);

// From "distributedInfo"; kNoValue: not in the file.
int64_t world_size(const Trace& trace);
int64_t own_rank(const Trace& trace);

}  // namespace lanescope
