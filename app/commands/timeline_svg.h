// `lanescope screenshot -o X.svg`: the timeline as vectors.
#pragma once

#include <string>
#include <vector>

#include "core/view/color.h"

namespace lanescope {

struct SvgRequest {
    std::vector<std::string> traces;
    std::string alignment;  // as parse_alignment() takes it; empty: the best
    std::string output;
    std::string range;   // as parse_time_range() takes it; empty: all
    std::string select;  // name of a slice to frame: the first that begins in the range
    std::string lanes;   // a regular expression: only these; empty: all
    Theme theme = Theme::dark;
    std::string color;    // word of a colour mode; empty: category
    std::string specs;    // a file of what devices can do; empty: none but the user's own
    double width = 1600;  // of the document; as high as its lanes
    double scale = 1;     // at which it is shown when nobody says
};

// Returns the exit status.
int write_timeline_svg(const SvgRequest& request);

}  // namespace lanescope
