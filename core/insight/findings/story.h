// The story of a trace that names its largest findings.
#pragma once

#include <vector>

#include "core/insight/findings/rule.h"

namespace lanescope {

// Places in Findings::all: the largest finding of each rule, those with a cost, at most three.
std::vector<uint32_t> top_findings(const Findings& found);

// The story of the summary with these findings, without the points that they say better.
std::vector<StoryPoint> findings_story(const Findings& found);

// Returns whether a point belongs to the answer at the top of the story. Findings explain the
// answer; all other points are further facts.
bool is_answer(StoryKind kind);

// find_all(), with the whole summary and that story in it.
Findings find_story(const TraceContext& context, const Thresholds& thresholds,
                    const FindingsQuery& query);

}  // namespace lanescope
