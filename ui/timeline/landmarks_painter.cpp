#include "ui/timeline/landmarks_painter.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lanescope {

namespace {

constexpr float kHalf = 4;             // half the width of a mark
constexpr float kHeight = 7;           // height of a mark
constexpr float kReach = 2;            // reach of the pointer around a mark
constexpr std::size_t kMaxListed = 8;  // number of landmarks listed on one mark
constexpr Nanos kMoment = 50;          // part of the trace on each side of a moment: 1 / 50

ImU32 color_of(const Colors& colors, const Landmark& landmark) {
    switch (landmark.kind) {
        case LandmarkKind::finding:
            if (landmark.chosen) return colors.accent;
            return landmark.severity == Severity::high ? colors.costs : colors.waiting;
        case LandmarkKind::idle_gap:
        case LandmarkKind::odd_step:
            return colors.costs;
        case LandmarkKind::dead_window:
            return colors.waiting;
        case LandmarkKind::memory_peak:
            return colors.hi;
    }
    return colors.hi;
}

}  // namespace

void draw_landmarks(Timeline& timeline, const Look& look, ImDrawList& list) {
    timeline.landmark_places.clear();
    if (!timeline.landmarks) return;
    const Box& box = timeline.areas.overview;
    const float left = timeline.areas.lanes.x0;
    const TimeRange all = timeline.overview.range;
    const float half = look.px(kHalf);
    const float reach = look.px(kReach);
    for (const Landmark& one : *timeline.landmarks) {
        const Nanos middle = one.time.begin + one.time.length() / 2;
        const auto part = static_cast<double>(middle - all.begin) /
                          static_cast<double>(std::max<Nanos>(1, all.length()));
        const float x = std::clamp(
            left + std::round(static_cast<float>(part * static_cast<double>(box.x1 - left))),
            left + half, std::max(left + half, box.x1 - half));
        const float y1 = box.y1 - 1;
        const float y0 = y1 - look.px(kHeight);
        // If marks would cover each other, the first mark represents all of them and lists each.
        std::vector<Box>& places = timeline.landmark_places;
        const auto shared = std::ranges::find_if(places, [&](const Box& place) {
            return std::abs((place.x0 + place.x1) / 2 - x) < 2 * half;
        });
        if (shared != places.end()) {
            const Box place = *shared;
            places.push_back(place);
            continue;
        }
        places.push_back({x - half - reach, y0 - reach, x + half + reach, box.y1});
        // A rim in the background colour, since bars of any colour are behind.
        list.AddTriangleFilled({x, y0 - look.px(2)}, {x + half + look.px(2), y1 + look.px(1)},
                               {x - half - look.px(2), y1 + look.px(1)}, look.colors.bg);
        list.AddTriangleFilled({x, y0}, {x + half, y1}, {x - half, y1}, color_of(look.colors, one));
    }
}

std::optional<std::size_t> landmark_at(const Timeline& timeline, ImVec2 point) {
    for (std::size_t i = 0; i < timeline.landmark_places.size(); ++i)
        if (timeline.landmark_places[i].holds(point)) return i;
    return std::nullopt;
}

void describe_landmark(const Timeline& timeline, const Look& look, ImVec2 pointer) {
    const auto mark = landmark_at(timeline, pointer);
    if (!mark || ImGui::IsMouseDown(0)) return;
    const Box& place = timeline.landmark_places[*mark];
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    // Below the overview, so that it covers no mark.
    const float right = ImGui::GetMainViewport()->Size.x;
    const bool at_the_right = place.x0 > right / 2;
    ImGui::SetNextWindowPos({at_the_right ? place.x1 : place.x0, place.y1 + look.px(4)},
                            ImGuiCond_Always, {at_the_right ? 1.0f : 0.0f, 0.0f});
    if (!ImGui::BeginTooltip()) return;
    std::size_t listed = 0;
    for (std::size_t i = *mark; i < timeline.landmark_places.size(); ++i)
        if (timeline.landmark_places[i].x0 == place.x0 && ++listed <= kMaxListed)
            ImGui::TextUnformatted((*timeline.landmarks)[i].text.c_str());
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::PushFont(look.fonts.regular, type::kSecondary);
    ImGui::TextUnformatted("Click: go there");
    ImGui::PopFont();
    ImGui::PopStyleColor();
    ImGui::EndTooltip();
}

void show_landmark(const Timeline& timeline, const Landmark& landmark, Requests& requests) {
    // For a moment, the range around it.
    const Nanos around =
        landmark.time.length() > 0 ? 0 : timeline.camera.content().length() / kMoment;
    if (landmark.slice) requests.add(SelectSlice{landmark.slice});
    requests.add(FrameRange{{landmark.time.begin - around, landmark.time.end + around}});
}

}  // namespace lanescope
