// The lane of steps below the ruler: it names each step, and what limits it.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

constexpr float kTop = 2;           // space above the boxes
constexpr float kFoot = 3;          // space below them
constexpr float kRoom = 5;          // free space at each side of a label
constexpr float kLeastRoom = 8;     // a label needs at least that
constexpr float kHostPart = 0.53F;  // of the height, if there is a row of the device
constexpr float kLeast = 2;         // px at scale 1: narrower steps are drawn at least this wide

// The longest text of a step that fits; empty: not even its number does.
std::string_view fitting_text(const Look& look, std::string_view text,
                              const std::vector<std::string>& shorter, float room) {
    const auto fits = [&](std::string_view one) {
        return text_width(look, look.fonts.regular, type::kTable, one) <= room;
    };
    if (fits(text)) return text;
    const auto found = std::ranges::find_if(shorter, fits);
    return found == shorter.end() ? std::string_view() : *found;
}

// The rows of the lane: steps on the host, and below them on the device.
struct StepRows {
    float host0, host1;
    float device0, device1;  // equal: there is no such row
};

StepRows rows_of(const Timeline& timeline, const Look& look) {
    const Box& box = timeline.areas.steps;
    const float y0 = box.y0 + std::round(look.px(kTop));
    const float y1 = box.y1 - std::round(look.px(kFoot));
    if (!has_device_steps(timeline)) return {y0, y1, y1, y1};
    const float middle = std::round(y0 + (y1 - y0) * kHostPart);
    return {y0, middle, middle + 1, y1};
}

// The places of a row's boxes, without those that are in no pixel of their own.
class StepRow {
  public:
    StepRow(const Viewport& view, float left, float right, float least)
        : view_(view), left_(left), right_(right), least_(least), drawn_to_(left - 1e6F) {}

    float edge_of(Nanos t) const {
        return left_ +
               static_cast<float>(std::round(std::clamp(view_.px_of(t), -8.0, view_.width + 8)));
    }
    // Draws a box; many narrow steps may share a pixel.
    void add(QuadBatch& batch, TimeRange range, float y0, float y1, ImU32 fill, ImU32 edge) {
        const float x0 = edge_of(range.begin);
        const float x1 = std::max(edge_of(range.end), x0 + least_);
        if (x1 <= drawn_to_ || x1 < left_ || x0 > right_) return;
        drawn_to_ = x1;
        push_slice(batch, x0, y0, x1, y1, fill, edge, 1);
    }
    void add_text(ImDrawList& list, const Look& look, TimeRange range, float y0, float y1,
                  ImU32 color, std::string_view text, const std::vector<std::string>& shorter) {
        const float x0 = std::max(edge_of(range.begin), left_) + look.px(kRoom);
        const float x1 = std::min(edge_of(range.end), right_) - look.px(kRoom);
        if (x1 - x0 < look.px(kLeastRoom)) return;
        draw_text(list, look, look.fonts.regular, type::kTable,
                  {std::round(x0), text_y(look, type::kTable, y0, y1 - y0)}, color,
                  fitting_text(look, text, shorter, x1 - x0));
    }

  private:
    const Viewport& view_;
    float left_, right_, least_, drawn_to_;
};

// The steps whose range is at least partly in view. (Steps of one process follow each other, on the
// host as on the device.)
template <typename RangeOf>
std::span<const StepBox> visible_steps(const std::vector<StepBox>& steps, TimeRange view,
                                       const RangeOf& range_of) {
    const auto first = std::ranges::partition_point(
        steps, [&](const StepBox& step) { return range_of(step).end < view.begin; });
    const auto last = std::ranges::partition_point(
        steps, [&](const StepBox& step) { return range_of(step).begin <= view.end; });
    return {first, std::max(first, last)};
}

TimeRange on_host(const StepBox& step) {
    return step.range;
}
TimeRange on_device(const StepBox& step) {
    return step.device.value_or(step.range);
}

}  // namespace

bool has_device_steps(const Timeline& timeline) {
    return timeline.steps && std::ranges::any_of(*timeline.steps, [](const StepBox& step) {
               return step.device.has_value();
           });
}

const StepBox* step_at(const Timeline& timeline, const Look& look, ImVec2 at) {
    if (!timeline.steps || !timeline.areas.steps.holds(at) || at.x < timeline.areas.lanes.x0)
        return nullptr;
    const Nanos time = timeline.camera.view().time_at(at.x - timeline.areas.lanes.x0);
    const auto range_of = at.y > rows_of(timeline, look).host1 ? on_device : on_host;
    const auto after = std::ranges::upper_bound(
        *timeline.steps, time, {}, [&](const StepBox& step) { return range_of(step).begin; });
    if (after == timeline.steps->begin()) return nullptr;
    const StepBox& step = *(after - 1);
    return time < range_of(step).end ? &step : nullptr;
}

void TimelineView::draw_steps(Timeline& timeline, const Look& look, Canvas& canvas) {
    const Box& box = timeline.areas.steps;
    if (box.height() <= 0) return;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Colors& c = look.colors;
    const Viewport& view = timeline.camera.view();
    const float left = timeline.areas.lanes.x0;
    const float right = timeline.areas.lanes.x1;
    const StepRows rows = rows_of(timeline, look);
    draw_text_cut(
        list, look, look.fonts.regular, type::kTable + 0.6F,
        {box.x0 + look.px(26), text_y(look, type::kTable, rows.host0, rows.host1 - rows.host0)},
        c.mid, "Steps", left - box.x0 - look.px(34));
    const auto on_cpu = static_cast<std::size_t>(EventClass::annotation);
    const auto on_gpu = static_cast<std::size_t>(EventClass::kernel);
    const std::span<const StepBox> host = visible_steps(*timeline.steps, view.range(), on_host);
    const std::span<const StepBox> device = visible_steps(*timeline.steps, view.range(), on_device);
    const float least = std::round(look.px(kLeast));
    steps_batch_.clear();
    list.PushClipRect({left, box.y0}, {right, box.y1}, true);
    StepRow host_row(view, left, right, least);
    StepRow device_row(view, left, right, least);
    for (const StepBox& step : host)
        host_row.add(steps_batch_, step.range, rows.host0, rows.host1, c.fill[on_cpu],
                     c.edge[on_cpu]);
    for (const StepBox& step : device)
        if (step.device)
            device_row.add(steps_batch_, *step.device, rows.device0, rows.device1, c.fill[on_gpu],
                           c.edge[on_gpu]);
    canvas.painter().add_to(list, steps_batch_);
    for (const StepBox& step : host)
        host_row.add_text(list, look, step.range, rows.host0, rows.host1, c.text[on_cpu], step.text,
                          step.shorter);
    for (const StepBox& step : device)
        if (step.device)
            device_row.add_text(list, look, *step.device, rows.device0, rows.device1,
                                c.text[on_gpu], step.device_text, step.device_shorter);
    list.PopClipRect();
    list.AddRectFilled({box.x0, box.y1 - 1}, {right, box.y1}, c.line);
}

}  // namespace lanescope
