// The flows that a picture has space for: those that begin or end at a singly drawn slice.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view/draw_items.h"

namespace lanescope {

struct VisibleLinks {
    std::vector<uint32_t> links;  // in Trace::links, ascending
    std::size_t all = 0;  // all that could be drawn; larger than the list if some were left out
};

// At most `limit`, spread evenly over all flows. The cost depends on the numbers of rectangles and
// flows, which are limited to some thousands.
void find_visible_links(const Trace& trace, const DrawItems& items, std::size_t limit,
                        VisibleLinks& found);

}  // namespace lanescope
