// Landmarks on the overview: a mark at its lower edge for each, which describes it and links to it.
#pragma once

#include <optional>

#include "ui/timeline/timeline.h"

namespace lanescope {

// Also stores their positions in Timeline::landmark_places.
void draw_landmarks(Timeline& timeline, const Look& look, ImDrawList& list);
// The landmark under a point of the window, the first of those that share a mark.
std::optional<std::size_t> landmark_at(const Timeline& timeline, ImVec2 point);
// If the pointer is on a mark: a card that describes its landmark and others that share the mark.
void describe_landmark(const Timeline& timeline, const Look& look, ImVec2 pointer);
// Brings the landmark into view, and selects its slice.
void show_landmark(const Timeline& timeline, const Landmark& landmark, Requests& requests);

}  // namespace lanescope
