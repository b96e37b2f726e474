// Matches the functions of two programs, from the step downwards.
#pragma once

#include <cstdint>
#include <vector>

#include "core/insight/compare/function_tree.h"

namespace lanescope {

enum class Pairing : uint8_t {
    same,      // one function of each
    renamed,   // names differ, but what they call is the same
    gone,      // only of the first program
    added,     // only of the second
    split,     // one function of the first, several of the second in its place
    fused,     // several, and one in their place
    replaced,  // others stand in their place
};

// The functions of both runs that one row compares. Each function is in exactly one row.
struct AlignedFunctions {
    Pairing pairing = Pairing::same;
    // The functions that the row is named after.
    std::vector<uint32_t> heads_a, heads_b;
    // All whose time counts: also what an operator calls, if the other program's does not.
    std::vector<uint32_t> nodes_a, nodes_b;
};

// The children of two matched functions are matched by kind, name and shapes; then, in order, by
// name alone and by the name of any instance. A function that is only in one program is opened if
// its callees are what the other program calls directly. What two matched operators call, and
// cannot be matched, is theirs.
std::vector<AlignedFunctions> align_functions(const FunctionTree& a, const FunctionTree& b);

}  // namespace lanescope
