// The flows that a picture has room for: those that begin or end at a slice that is drawn as
// itself.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view/draw_items.h"

namespace lanescope {

struct VisibleLinks {
    std::vector<uint32_t> links;  // in Trace::links, ascending
    std::size_t all = 0;  // that could be drawn; more than there are when some were left out
};

// At most `most`, spread evenly over all of them. Its cost is that of the rectangles and their
// flows, and stops growing at some thousand.
void find_visible_links(const Trace& trace, const DrawItems& items, std::size_t most,
                        VisibleLinks& found);

}  // namespace lanescope
