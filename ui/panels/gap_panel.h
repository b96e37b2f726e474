// What is told about an idle gap of a GPU that was walked to.
#pragma once

#include "core/analysis/gap_story.h"
#include "ui/shell/requests.h"
#include "ui/shell/theme.h"

namespace lanescope {

void draw_gap(const Trace& trace, const GapStory& story, const Look& look, Requests& requests);

}  // namespace lanescope
