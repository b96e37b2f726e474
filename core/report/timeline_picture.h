// The picture of a timeline as a command or a script asks for it: with the lanes with which the
// window opens.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/evidence.h"
#include "core/base/result.h"
#include "core/export/pictures/timeline_svg.h"
#include "core/trace/join.h"

namespace lanescope {

struct TimelinePicture {
    std::string range;   // see parse_time_range(); empty: everything
    std::string select;  // name of a slice to frame: the first that begins in the range
    std::string lanes;   // regular expression; empty: all lanes
    std::string color;   // name of a colour mode; empty: the one that fits the trace
    Theme theme = Theme::dark;
    double width = 1600;  // width of the document; its height follows from the lanes
    double scale = 1;     // initial display scale
    std::string title;
    std::vector<SvgNote> notes;
    Evidence evidence;  // beside each file
};

// An SVG. Errors: no such range, slice, lanes or colour mode.
Result<std::string> timeline_picture(const JoinedTrace& joined, const TimelinePicture& picture);

// The names of files as a title; `synthetic` samples are marked.
std::string picture_title(const std::vector<std::string>& paths, bool synthetic);

}  // namespace lanescope
