#include "ui/timeline/steps_layer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/format.h"
#include "ui/look/canvas.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

constexpr float kStepsHeight = 24;
constexpr float kStepsOnDeviceHeight = 17;  // of the row below, if steps differ there
constexpr float kStepsTop = 2;              // space above the boxes
constexpr float kStepsFoot = 3;             // space below them
constexpr float kStepsRoom = 5;             // free space at each side of a label
constexpr float kStepsLeastRoom = 8;        // a label needs at least that
constexpr float kStepsHostPart = 0.53F;     // of the height, if there is a row of the device
constexpr float kStepsLeast = 2;  // px at scale 1: narrower steps are drawn at least this wide

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

StepRows rows_of(const Box& box, bool with_device, const Look& look) {
    const float y0 = box.y0 + std::round(look.px(kStepsTop));
    const float y1 = box.y1 - std::round(look.px(kStepsFoot));
    if (!with_device) return {y0, y1, y1, y1};
    const float middle = std::round(y0 + (y1 - y0) * kStepsHostPart);
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
        const float x0 = std::max(edge_of(range.begin), left_) + look.px(kStepsRoom);
        const float x1 = std::min(edge_of(range.end), right_) - look.px(kStepsRoom);
        if (x1 - x0 < look.px(kStepsLeastRoom)) return;
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

void click_step(Timeline& timeline, const StepBox& step, bool twice, Requests& requests) {
    if (step.device) {
        requests.add(FrameRange{{std::min(step.range.begin, step.device->begin),
                                 std::max(step.range.end, step.device->end)}});
        twice = false;
    }
    if (step.slice) {
        set_selected(timeline, step.slice);
        requests.add(Describe{Described::selection});
        if (twice) requests.add(ZoomToSlice{step.slice});
        return;
    }
    set_selected(timeline, {});
    mark_range(timeline, step.range);
    requests.add(Describe{Described::range});
    if (twice) requests.add(FrameRange{step.range});
}

}  // namespace

bool StepsLayer::has_device_row() const {
    return std::ranges::any_of(*steps, [](const StepBox& step) { return step.device.has_value(); });
}

float StepsLayer::place(const Timeline& /*timeline*/, const Look& look, Box area) {
    box_ = {};
    if (!steps || steps->empty()) return 0;
    const float height =
        look.px(has_device_row() ? kStepsHeight + kStepsOnDeviceHeight : kStepsHeight);
    box_ = {area.x0, area.y0, area.x1, area.y0 + height};
    host_end_ = rows_of(box_, has_device_row(), look).host1;
    return height;
}

const StepBox* StepsLayer::step_at(const Timeline& timeline, ImVec2 at) const {
    const Box& lanes = timeline.areas.lanes;
    if (!steps || !box_.holds(at) || at.x < lanes.x0 || at.x >= lanes.x1) return nullptr;
    const Nanos time = timeline.camera.view().time_at(at.x - lanes.x0);
    const auto range_of = is_on_device(at) ? on_device : on_host;
    const auto after = std::ranges::upper_bound(
        *steps, time, {}, [&](const StepBox& step) { return range_of(step).begin; });
    if (after == steps->begin()) return nullptr;
    const StepBox& step = *(after - 1);
    return time < range_of(step).end ? &step : nullptr;
}

SliceRef StepsLayer::slice_at(const Timeline& timeline, const Look& /*look*/, ImVec2 at) const {
    const StepBox* const step = is_on_device(at) ? nullptr : step_at(timeline, at);
    return step ? step->slice : SliceRef{};
}

HoverCard StepsLayer::card_at(const Timeline& timeline, ImVec2 at) const {
    const StepBox* const step = is_on_device(at) ? step_at(timeline, at) : nullptr;
    if (!step || !step->device) return {};
    return {step->name,
            "a step's work on the GPU",
            {{"On the GPU", format_duration(step->device->length())},
             {"On the host", format_duration(step->range.length())},
             {"Begins later by", format_duration(step->device->begin - step->range.begin)}}};
}

void StepsLayer::click(Timeline& timeline, const LayerClick& click) {
    if (const StepBox* const step = step_at(timeline, click.at))
        click_step(timeline, *step, click.twice, click.requests);
}

void StepsLayer::describe(const Timeline& timeline, nlohmann::json& state) const {
    using nlohmann::json;
    state["steps"] = json::array();
    if (!steps) return;
    const Nanos origin = timeline.trace().origin;
    for (const StepBox& step : *steps) {
        json box = {{"text", step.text},
                    {"begin", step.range.begin - origin},
                    {"end", step.range.end - origin},
                    {"device", nullptr}};
        if (step.device)
            box["device"] = {{"text", step.device_text},
                             {"begin", step.device->begin - origin},
                             {"end", step.device->end - origin}};
        state["steps"].push_back(std::move(box));
    }
}

void StepsLayer::draw_strip(const Timeline& timeline, const Look& look, Canvas& canvas,
                            Requests& /*requests*/) {
    const Box& box = box_;
    if (box.height() <= 0) return;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Colors& c = look.colors;
    const Viewport& view = timeline.camera.view();
    const float left = timeline.areas.lanes.x0;
    const float right = timeline.areas.lanes.x1;
    const StepRows rows = rows_of(box, has_device_row(), look);
    draw_text_cut(
        list, look, look.fonts.regular, type::kTable + 0.6F,
        {box.x0 + look.px(26), text_y(look, type::kTable, rows.host0, rows.host1 - rows.host0)},
        c.mid, "Steps", left - box.x0 - look.px(34));
    const auto on_cpu = static_cast<std::size_t>(EventClass::annotation);
    const auto on_gpu = static_cast<std::size_t>(EventClass::kernel);
    const std::span<const StepBox> host = visible_steps(*steps, view.range(), on_host);
    const std::span<const StepBox> device = visible_steps(*steps, view.range(), on_device);
    const float least = std::round(look.px(kStepsLeast));
    batch_.clear();
    list.PushClipRect({left, box.y0}, {right, box.y1}, true);
    StepRow host_row(view, left, right, least);
    StepRow device_row(view, left, right, least);
    for (const StepBox& step : host)
        host_row.add(batch_, step.range, rows.host0, rows.host1, c.fill[on_cpu], c.edge[on_cpu]);
    for (const StepBox& step : device)
        if (step.device)
            device_row.add(batch_, *step.device, rows.device0, rows.device1, c.fill[on_gpu],
                           c.edge[on_gpu]);
    canvas.painter().add_to(list, batch_);
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
