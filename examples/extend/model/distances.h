// The work of `aten::_cdist_forward`: the distances between the rows of two matrices.
#pragma once

#include "core/models/operator_work.h"

namespace lanescope {

// Rows of a [.., P, M] and b [.., R, M]: a difference, a square and a sum for each pair and column.
// at: a, b.
Work distances(Call& call, const Rule& rule);

inline constexpr Rule kDistancesRule = {"_cdist_forward", distances, {0, 1}};

}  // namespace lanescope
