// Landmarks on the overview: a mark at its lower edge for each, which tells it, and leads there.
#pragma once

#include <optional>

#include "ui/timeline/timeline.h"

namespace lanescope {

// Also keeps where each stands, in Timeline::landmark_places.
void draw_landmarks(Timeline& timeline, const Look& look, ImDrawList& list);
// The landmark under a point of the window, the first of those that share a mark.
std::optional<std::size_t> landmark_at(const Timeline& timeline, ImVec2 point);
// A card with its line, and those of others that share its mark, when the pointer is on one.
void tell_landmark(const Timeline& timeline, const Look& look, ImVec2 pointer);
// Frames it, and selects what it is about.
void show_landmark(const Timeline& timeline, const Landmark& landmark, Requests& requests);

}  // namespace lanescope
