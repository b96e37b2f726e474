// A view of the timeline as SVG: vectors, and texts that can be selected, for papers and reports.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/view/idle_spans.h"
#include "core/view/lane_layout.h"
#include "core/view/palette.h"
#include "core/view/view_index.h"

namespace lanescope {

// A mark, at one time, or a range with its text.
struct SvgNote {
    TimeRange time;
    std::string text;
};

struct SvgOptions {
    Theme theme = Theme::dark;
    TimeRange range;                        // at least a nanosecond long
    double width = 1200;                    // of the whole, in user units
    double scale = 1;                       // at which it is shown when nobody says
    double head_width = 196;                // of the lanes' heads
    SliceRef selected;                      // framed, with its flows; none: nothing is
    std::vector<SvgNote> notes;             // by begin; between two marks their distance is told
    std::shared_ptr<const IdleSpans> idle;  // dead windows and gaps of streams; null: not drawn
    std::string title;                      // of the document, and what is told below the lanes
};

// All lanes of the layout from top to bottom, below a ruler that counts from the trace's origin;
// a legend of the classes that are in view stands at the end.
std::string timeline_svg(const ViewIndexPtr& index, const LaneLayout& layout,
                         const SvgOptions& options);

}  // namespace lanescope
