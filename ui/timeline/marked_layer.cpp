#include "ui/timeline/marked_layer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/format.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

void paint_marked(const Timeline& timeline, const MarkedRange& marked, const Look& look,
                  QuadBatch& batch, QuadBatch& overlay) {
    const Box& lanes = timeline.areas.lanes;
    const Viewport& view = timeline.camera.view();
    const auto edge = [&](Nanos t) {
        return lanes.x0 +
               static_cast<float>(std::round(std::clamp(view.px_of(t), -2.0, view.width + 2)));
    };
    const float x0 = edge(marked.time.begin);
    const float x1 = edge(marked.time.end);
    const ImU32 fill = mixed(look.colors.bg, look.colors.accent, 0.14f);
    const auto band = [&](float y0, float y1) {
        batch.quad_below(x0, y0, x1, y1, fill);
        overlay.quad(x0, y0, x0 + 1, y1, look.colors.accent);
        overlay.quad(x1 - 1, y0, x1, y1, look.colors.accent);
    };
    const std::vector<LaneId>& of_range = marked.lanes;
    if (of_range.empty()) {
        band(lanes.y0, lanes.y1);
        return;
    }
    for (const LaneBox& box : timeline.layout.lanes) {
        const auto y0 = static_cast<float>(std::round(lanes.y0 + box.y - timeline.scroll_y));
        const float y1 = y0 + static_cast<float>(std::round(box.height));
        if (y1 < lanes.y0 || y0 > lanes.y1) continue;
        if (std::ranges::binary_search(of_range, box.id)) band(y0, y1);
    }
    // Marks the time of the pointed-at slice across all lanes, for comparison.
    for (const float x : {x0, x1 - 1})
        batch.quad_below(x, lanes.y0, x + 1, lanes.y1, look.colors.line2);
}

void label_marked(const Timeline& timeline, const MarkedRange& marked, const Look& look,
                  ImDrawList& list) {
    const Box& lanes = timeline.areas.lanes;
    const Viewport& view = timeline.camera.view();
    const double x0 = std::clamp(view.px_of(marked.time.begin), 0.0, view.width);
    const double x1 = std::clamp(view.px_of(marked.time.end), 0.0, view.width);
    std::string text = format_duration(marked.time.length());
    if (const auto& slices = marked.slices)
        text += " · " + format_count(static_cast<int64_t>(*slices)) +
                (*slices == 1 ? " slice" : " slices");
    if (const std::size_t count = marked.lanes.size(); count > 0)
        text +=
            " · " + format_count(static_cast<int64_t>(count)) + (count == 1 ? " lane" : " lanes");
    const float width = text_width(look, look.fonts.medium, type::kTable, text) + look.px(16);
    const float room = lanes.width() - width;
    const float x = lanes.x0 + std::clamp(static_cast<float>((x0 + x1) / 2) - width / 2, 0.0f,
                                          std::max(0.0f, room));
    const float height = look.px(22);
    const float y = lanes.y1 - height - look.px(8);
    list.AddRectFilled({x, y}, {x + width, y + height}, look.colors.raised, look.px(5));
    list.AddRect({x, y}, {x + width, y + height}, look.colors.accent, look.px(5));
    draw_text(list, look, look.fonts.medium, type::kTable,
              {x + look.px(8), text_y(look, type::kTable, y, height)}, look.colors.hi, text);
}

}  // namespace

void MarkedLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    const std::optional<MarkedRange>& marked = in.timeline.marked;
    if (!marked) return;
    if (stage == LaneStage::below_slices)
        paint_marked(in.timeline, *marked, in.look, to.lanes, to.overlay);
    if (stage == LaneStage::texts && !to.pinned)
        label_marked(in.timeline, *marked, in.look, to.list);
}

void MarkedLayer::describe(const Timeline& timeline, nlohmann::json& state) const {
    state["marked"] = nullptr;
    if (!timeline.marked) return;
    const Nanos origin = timeline.trace().origin;
    state["marked"] = {{"begin", timeline.marked->time.begin - origin},
                       {"end", timeline.marked->time.end - origin},
                       {"lanes", timeline.marked->lanes},
                       {"slices", nullptr}};
    if (timeline.marked->slices) state["marked"]["slices"] = *timeline.marked->slices;
}

}  // namespace lanescope
