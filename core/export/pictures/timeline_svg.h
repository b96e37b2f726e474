// Draws a view of the timeline as SVG for papers and reports: vectors, and texts that can be
// selected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/overlays/idle_spans.h"
#include "core/view/lane_layout.h"
#include "core/view/palette.h"
#include "core/view/view_index.h"

namespace lanescope {

// A mark at one time, or a range, with its text.
struct SvgNote {
    TimeRange time;
    std::string text;
};

struct SvgOptions {
    Theme theme = Theme::dark;
    TimeRange range;          // at least a nanosecond long
    double width = 1200;      // width of the whole picture, in user units
    double scale = 1;         // initial scale of the picture
    double head_width = 196;  // width of the lanes' heads
    // Framed and drawn with its flows; none: nothing is selected.
    SliceRef selected;
    // Sorted by begin; the distance between two marks is drawn.
    std::vector<SvgNote> notes;
    std::shared_ptr<const IdleSpans> idle;  // dead windows and gaps of streams; null: not drawn
    // Dead windows of lanes that a filter of the index shows partly; null: not drawn.
    std::shared_ptr<const ShownIdleSpans> shown_idle = nullptr;
    std::string title;  // the document's title, also shown below the lanes
};

// Draws all lanes of the layout from top to bottom, below a ruler that counts from the trace's
// origin, and a legend of the visible classes at the bottom.
std::string timeline_svg(const ViewIndexPtr& index, const LaneLayout& layout,
                         const SvgOptions& options);

}  // namespace lanescope
