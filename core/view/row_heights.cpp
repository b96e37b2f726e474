#include "core/view/row_heights.h"

#include <algorithm>
#include <cmath>

namespace lanescope {

Measures stretched(const Measures& measures, const Trace& trace, const LaneArrangement& arrangement,
                   const ShownLanesPtr& shown, double room) {
    double used = 0;
    double rows = 0;
    for (const LaneLayout& layout : {build_layout(trace, arrangement, measures, shown),
                                     build_pinned_layout(trace, arrangement, measures, shown)}) {
        used += layout.height;
        for (const LayoutRow& row : layout.rows)
            if (row.kind == RowKind::slices || row.kind == RowKind::counter)
                rows += row.height + measures.row_gap;
    }
    if (used >= room || rows <= 0) return measures;
    const double factor = std::min(kMostStretch, 1 + (room - used) / rows);
    Measures more = measures;
    for (double* const height : {&more.slice_row, &more.kernel_row, &more.counter_row})
        *height = std::floor(*height * factor);
    return more;
}

}  // namespace lanescope
