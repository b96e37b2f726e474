// The lane of steps below the ruler: it names each step, and what limits it.
#include <algorithm>
#include <cmath>
#include <span>

#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

constexpr float kTop = 2;        // space above the boxes
constexpr float kFoot = 3;       // space below them
constexpr float kRoom = 5;       // free space at each side of a label
constexpr float kLeastRoom = 8;  // a label needs at least that
constexpr float kLeast = 2;      // px at scale 1: narrower steps are drawn at least this wide

// The longest text of a step that fits; empty: not even its number does.
std::string_view fitting_text(const Look& look, const StepBox& step, float room) {
    const auto fits = [&](std::string_view text) {
        return text_width(look, look.fonts.regular, type::kTable, text) <= room;
    };
    if (fits(step.text)) return step.text;
    const auto found = std::ranges::find_if(step.shorter, fits);
    return found == step.shorter.end() ? std::string_view() : *found;
}

// The steps that are at least partly in view. (Steps of one process follow each other.)
std::span<const StepBox> visible_steps(const std::vector<StepBox>& steps, TimeRange view) {
    const auto first = std::ranges::partition_point(
        steps, [&](const StepBox& step) { return step.range.end < view.begin; });
    const auto last = std::ranges::partition_point(
        steps, [&](const StepBox& step) { return step.range.begin <= view.end; });
    return {first, std::max(first, last)};
}

}  // namespace

const StepBox* step_at(const Timeline& timeline, ImVec2 at) {
    if (!timeline.steps || !timeline.areas.steps.holds(at) || at.x < timeline.areas.lanes.x0)
        return nullptr;
    const Nanos time = timeline.camera.view().time_at(at.x - timeline.areas.lanes.x0);
    const auto after = std::ranges::upper_bound(*timeline.steps, time, {},
                                                [](const StepBox& s) { return s.range.begin; });
    if (after == timeline.steps->begin()) return nullptr;
    const StepBox& step = *(after - 1);
    return time < step.range.end ? &step : nullptr;
}

void TimelineView::draw_steps(Timeline& timeline, const Look& look, Canvas& canvas) {
    const Box& box = timeline.areas.steps;
    if (box.height() <= 0) return;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Colors& c = look.colors;
    const Viewport& view = timeline.camera.view();
    const float left = timeline.areas.lanes.x0;
    const float right = timeline.areas.lanes.x1;
    const float y0 = box.y0 + std::round(look.px(kTop));
    const float y1 = box.y1 - std::round(look.px(kFoot));
    draw_text_cut(list, look, look.fonts.regular, type::kTable + 0.6f,
                  {box.x0 + look.px(26), text_y(look, type::kTable, y0, y1 - y0)}, c.mid, "Steps",
                  left - box.x0 - look.px(34));
    const ImU32 fill = c.fill[static_cast<std::size_t>(EventClass::annotation)];
    const ImU32 edge = c.edge[static_cast<std::size_t>(EventClass::annotation)];
    const float least = std::round(look.px(kLeast));
    steps_batch_.clear();
    list.PushClipRect({left, box.y0}, {right, box.y1}, true);
    const auto edge_of = [&](Nanos t) {
        return left +
               static_cast<float>(std::round(std::clamp(view.px_of(t), -8.0, view.width + 8)));
    };
    float drawn_to = left - 1e6f;  // many narrow steps may share a pixel
    const std::span<const StepBox> steps = visible_steps(*timeline.steps, view.range());
    for (const StepBox& step : steps) {
        const float x0 = edge_of(step.range.begin);
        const float x1 = std::max(edge_of(step.range.end), x0 + least);
        if (x1 <= drawn_to) continue;
        drawn_to = x1;
        push_slice(steps_batch_, x0, y0, x1, y1, fill, edge, 1);
    }
    canvas.painter().add_to(list, steps_batch_);
    for (const StepBox& step : steps) {
        const float x0 = std::max(edge_of(step.range.begin), left) + look.px(kRoom);
        const float x1 = std::min(edge_of(step.range.end), right) - look.px(kRoom);
        if (x1 - x0 < look.px(kLeastRoom)) continue;
        draw_text(list, look, look.fonts.regular, type::kTable,
                  {std::round(x0), text_y(look, type::kTable, y0, y1 - y0)},
                  c.text[static_cast<std::size_t>(EventClass::annotation)],
                  fitting_text(look, step, x1 - x0));
    }
    list.PopClipRect();
    list.AddRectFilled({box.x0, box.y1 - 1}, {right, box.y1}, c.line);
}

}  // namespace lanescope
