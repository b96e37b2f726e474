// Alignment of two sequences of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanescope {

// The first place of `part` in `all` at or after `from`; if there is none, the first one before it.
std::optional<std::size_t> find_sequence(std::span<const uint32_t> all,
                                         std::span<const uint32_t> part, std::size_t from);

// Finds a longest common subsequence. Returns for each element of `b` the index of its partner in
// `a`, or kNone.
// Empty if more than `most` elements of both together have no partner. Takes time and memory in
// O((a + b + most) * most). Algorithm: Myers, An O(ND) Difference Algorithm and Its Variations,
// 1986.
inline constexpr uint32_t kNone = ~uint32_t{0};
std::vector<uint32_t> align(std::span<const uint32_t> a, std::span<const uint32_t> b,
                            std::size_t most);

}  // namespace lanescope
