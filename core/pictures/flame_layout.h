// The boxes of a flame graph that are drawn at a width, and what is written and coloured there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/flame/flame_tree.h"
#include "core/view/palette.h"

namespace lanescope {

// A node that is wide enough, or several neighbours that are not.
struct FlameBox {
    uint32_t node = 0;   // the first of them
    uint32_t count = 1;  // neighbours that share the box
    uint32_t row = 0;    // 0: outermost calls
    double x0 = 0, x1 = 0;
    bool around = false;  // of a node around the zoomed one: as wide as the picture
};

struct FlameLayout {
    std::vector<FlameBox> boxes;      // by row, then from left to right
    std::vector<uint32_t> row_begin;  // by row: index of its first box; one more at the end

    uint32_t row_count() const { return static_cast<uint32_t>(row_begin.size()) - 1; }
    // Null: there is no box.
    const FlameBox* at(uint32_t row, double x) const;
};

// The zoomed node is as wide as the picture; with node 0, everything is shown. Boxes narrower than
// `least` are joined, or left out if that is too narrow too: the number of boxes depends on the
// width and not on the trace.
FlameLayout lay_out_flames(const FlameTree& tree, uint32_t zoomed, double width, double least = 1);

// The text on a box. Python's functions come before their files, since boxes are narrow.
std::string flame_label(const Trace& trace, const FlameFrame& frame);
// "4.2 ms" or "1 204 samples".
std::string flame_weight_text(FlameWeight weight, int64_t amount);
// Total, own weight, shares and calls of a node, one per line.
std::vector<std::string> flame_facts(const FlameTree& tree, const FlameNode& node);

// Frames of the source have the colours of their categories, or a hue for each file, library or
// class of modules if all would have the same category.
ClassColor flame_color(const Trace& trace, const FlameTree& tree, const FlameFrame& frame);

}  // namespace lanescope
