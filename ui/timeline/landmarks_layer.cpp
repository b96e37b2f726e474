#include "ui/timeline/landmarks_layer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "ui/look/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

constexpr float kMarkHalf = 4;         // half the width of a mark
constexpr float kMarkHeight = 7;       // height of a mark
constexpr float kMarkReach = 2;        // reach of the pointer around a mark
constexpr std::size_t kMaxListed = 8;  // number of landmarks listed on one mark
constexpr Nanos kMoment = 50;          // part of the trace on each side of a moment: 1 / 50

ImU32 landmark_color(const Colors& colors, const Landmark& landmark) {
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

void LandmarksLayer::set_landmarks(Landmarks landmarks) {
    landmarks_ = std::move(landmarks);
    places_.clear();
}

void LandmarksLayer::draw_on_overview(const Timeline& timeline, const Look& look,
                                      ImDrawList& list) {
    places_.clear();
    if (!landmarks_) return;
    const Box& box = timeline.areas.overview;
    const float left = timeline.areas.lanes.x0;
    const TimeRange all = timeline.overview.range;
    const float half = look.px(kMarkHalf);
    const float reach = look.px(kMarkReach);
    for (const Landmark& one : *landmarks_) {
        const Nanos middle = one.time.begin + one.time.length() / 2;
        const auto part = static_cast<double>(middle - all.begin) /
                          static_cast<double>(std::max<Nanos>(1, all.length()));
        const float x = std::clamp(
            left + std::round(static_cast<float>(part * static_cast<double>(box.x1 - left))),
            left + half, std::max(left + half, box.x1 - half));
        const float y1 = box.y1 - 1;
        const float y0 = y1 - look.px(kMarkHeight);
        // If marks would cover each other, the first mark represents all of them and lists each.
        const auto shared = std::ranges::find_if(places_, [&](const Box& place) {
            return std::abs((place.x0 + place.x1) / 2 - x) < 2 * half;
        });
        if (shared != places_.end()) {
            const Box place = *shared;
            places_.push_back(place);
            continue;
        }
        places_.push_back({x - half - reach, y0 - reach, x + half + reach, box.y1});
        // A rim in the background colour, since bars of any colour are behind.
        list.AddTriangleFilled({x, y0 - look.px(2)}, {x + half + look.px(2), y1 + look.px(1)},
                               {x - half - look.px(2), y1 + look.px(1)}, look.colors.bg);
        list.AddTriangleFilled({x, y0}, {x + half, y1}, {x - half, y1},
                               landmark_color(look.colors, one));
    }
}

std::optional<std::size_t> LandmarksLayer::landmark_at(ImVec2 point) const {
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i].holds(point)) return i;
    return std::nullopt;
}

void LandmarksLayer::draw_card(const Timeline& /*timeline*/, const Look& look, ImVec2 at) {
    const auto mark = landmark_at(at);
    if (!mark || ImGui::IsMouseDown(0)) return;
    const Box& place = places_[*mark];
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    // Below the overview, so that it covers no mark.
    const float right = ImGui::GetMainViewport()->Size.x;
    const bool at_the_right = place.x0 > right / 2;
    ImGui::SetNextWindowPos({at_the_right ? place.x1 : place.x0, place.y1 + look.px(4)},
                            ImGuiCond_Always, {at_the_right ? 1.0f : 0.0f, 0.0f});
    if (!ImGui::BeginTooltip()) return;
    std::size_t listed = 0;
    for (std::size_t i = *mark; i < places_.size(); ++i)
        if (places_[i].x0 == place.x0 && ++listed <= kMaxListed)
            ImGui::TextUnformatted((*landmarks_)[i].text.c_str());
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::PushFont(look.fonts.regular, type::kSecondary);
    ImGui::TextUnformatted("Click: go there");
    ImGui::PopFont();
    ImGui::PopStyleColor();
    ImGui::EndTooltip();
}

bool LandmarksLayer::press(Timeline& timeline, const LayerClick& click) {
    const auto mark = landmark_at(click.at);
    if (!mark) return false;
    const Landmark& landmark = (*landmarks_)[*mark];
    // For a moment, the range around it.
    const Nanos around =
        landmark.time.length() > 0 ? 0 : timeline.camera.content().length() / kMoment;
    if (landmark.slice) click.requests.add(SelectSlice{landmark.slice});
    click.requests.add(FrameRange{{landmark.time.begin - around, landmark.time.end + around}});
    return true;
}

void LandmarksLayer::describe(const Timeline& timeline, nlohmann::json& state) const {
    using nlohmann::json;
    json& list = state["landmarks"] = json::array();
    if (!landmarks_) return;
    const Nanos origin = timeline.trace().origin;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const Landmark& one = (*landmarks_)[i];
        const Box& box = places_[i];
        list.push_back({{"kind", landmark_kind_name(one.kind)},
                        {"text", one.text},
                        {"begin", one.time.begin - origin},
                        {"end", one.time.end - origin},
                        {"box", {box.x0, box.y0, box.x1, box.y1}}});
    }
}

}  // namespace lanescope
