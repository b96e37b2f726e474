// How the columns of a table share its width.
#pragma once

#include <span>
#include <vector>

namespace lanescope {

struct ColumnRoom {
    float wanted = 0;  // what it takes where there is room
    float least = 0;   // what it keeps when there is less room; at most `wanted`
    float whole = 0;   // of the longest cell, however long
};

// A width for each column, of `room` together, spaces between them not counted. What there is too
// much is spread over all, up to `most_spread` each. Where there is too little the first column
// gives way first, then the others together; where even the least of all is too much, the table is
// scrolled, and the others keep what they want.
std::vector<float> shared_widths(std::span<const ColumnRoom> columns, float room,
                                 float most_spread);

}  // namespace lanescope
