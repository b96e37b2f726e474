// `lanescope screenshot -o X.svg`: the timeline as vectors.
#pragma once

#include <string>
#include <vector>

#include "app/commands/output.h"
#include "core/view/color.h"

namespace lanescope {

struct SvgRequest {
    std::vector<std::string> traces;
    std::string alignment;  // see parse_alignment(); empty: the best
    OutputOptions output;
    std::string range;   // see parse_time_range(); empty: everything
    std::string select;  // name of a slice to frame: the first that begins in the range
    std::string lanes;   // regular expression; empty: all lanes
    Theme theme = Theme::dark;
    std::string color;    // name of a colour mode; empty: category
    std::string specs;    // file of device figures; empty: only the user's own
    double width = 1600;  // width of the document; its height follows from the lanes
    double scale = 1;     // initial display scale
};

// Returns the exit status.
int write_timeline_svg(const SvgRequest& request);

}  // namespace lanescope
