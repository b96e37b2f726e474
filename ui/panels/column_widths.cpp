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

float give_rest(std::span<const ColumnRoom> columns, float rest, std::vector<float>& widths) {
    for (std::size_t c = 0; c < columns.size() && rest > 0; ++c) {
        const float more = std::clamp(columns[c].whole - widths[c], 0.0f, rest);
        widths[c] += more;
        rest -= more;
    }
    return rest;
}

void fill_room(std::span<const ColumnRoom> columns, float padding, float room,
               std::vector<float>& widths) {
    float rest = room;
    std::size_t whole = 0;
    while (whole < widths.size() && widths[whole] + padding <= rest)
        rest -= widths[whole++] + padding;
    if (whole == 0 || whole == widths.size()) return;
    rest = give_rest(columns.first(whole), rest, widths);
    // Dear ImGui places columns at whole pixels.
    const float each = std::floor(rest / static_cast<float>(whole));
    for (std::size_t c = 0; c < whole; ++c) widths[c] += each;
    widths[0] += rest - each * static_cast<float>(whole);
}

}  // namespace lanescope
