// `lanescope screenshot -o X.svg`: the timeline as vectors.
#pragma once

#include <string>
#include <vector>

#include "app/commands/output.h"
#include "core/report/timeline_picture.h"
#include "core/session/companions.h"

namespace lanescope {

struct SvgRequest {
    std::vector<std::string> traces;
    Companions companions;
    std::string alignment;  // see parse_alignment(); empty: the best
    OutputOptions output;
    std::string specs;        // file of device figures; empty: only the user's own
    TimelinePicture picture;  // without title, notes and evidence
};

// Returns the exit status.
int write_timeline_svg(const SvgRequest& request);

}  // namespace lanescope
