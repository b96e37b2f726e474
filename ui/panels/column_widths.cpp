#include "ui/panels/column_widths.h"

#include <algorithm>
#include <cmath>

namespace lanescope {

std::vector<float> shared_widths(std::span<const ColumnRoom> columns, float room,
                                 float max_spread) {
    std::vector<float> widths;
    if (columns.empty()) return widths;
    float wanted = 0;
    float given_up = 0;  // total that all columns but the first can give up
    for (const ColumnRoom& column : columns) {
        widths.push_back(column.wanted);
        wanted += column.wanted;
        given_up += column.wanted - column.min_width;
    }
    given_up -= columns[0].wanted - columns[0].min_width;
    if (wanted <= room) {
        const float spread =
            std::min(max_spread, std::floor((room - wanted) / static_cast<float>(widths.size())));
        for (float& width : widths) width += spread;
        return widths;
    }
    const float of_first = std::min(wanted - room, columns[0].wanted - columns[0].min_width);
    widths[0] -= of_first;
    const float missing = wanted - room - of_first;
    if (missing <= 0 || missing > given_up) return widths;
    for (std::size_t c = 1; c < columns.size(); ++c)
        widths[c] -= missing / given_up * (columns[c].wanted - columns[c].min_width);
    return widths;
}

}  // namespace lanescope
