// Pictures of a report, as SVG inside the page.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/statistics/histogram.h"
#include "core/insight/findings/rule.h"
#include "core/view/view_index.h"

namespace lanescope {

// The first place of a finding on the timeline: its lane, and the thread that launched the work.
// Empty: the finding has no place on a lane.
std::string finding_picture(const TraceContext& context, const ViewIndexPtr& index,
                            const Finding& finding);

// A bar for each step, in order; warm-up and outliers in other colours.
std::string steps_picture(const TraceContext& context, const Summary& summary);

std::string histogram_picture(const DurationHistogram& histogram);

}  // namespace lanescope
