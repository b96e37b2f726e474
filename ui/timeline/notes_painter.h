// Notes on the timeline: flags on the ruler, lines and texts over the lanes, the distance between
// marks, and their positions on the overview.
#pragma once

#include <optional>

#include "ui/timeline/timeline.h"

namespace lanescope {

void draw_notes_on_lanes(const Timeline& timeline, const Look& look, ImDrawList& list);
void draw_notes_on_ruler(const Timeline& timeline, const Look& look, ImDrawList& list);
void draw_notes_on_overview(const Timeline& timeline, const Look& look, ImDrawList& list);

// Whether there is a flag on the ruler between two x.
bool flag_between(const Timeline& timeline, const Look& look, float x0, float x1);

// The note whose flag is at a position on the ruler.
std::optional<uint32_t> note_at(const Timeline& timeline, const Look& look, ImVec2 at);

// The time meant by a pointer at `x`: a near edge of the slice below it, if there is one.
Nanos noted_time(const Timeline& timeline, const Look& look, float x);

}  // namespace lanescope
