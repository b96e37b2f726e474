// The ruler: labelled ticks, the visible span, and the time under the pointer.
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

namespace {

// Whether a layer has marks on the ruler between two x.
bool is_covered(const Timeline& timeline, const Look& look, float x0, float x1) {
    return std::ranges::any_of(timeline.layers, [&](const auto& layer) {
        return layer->covers_ruler(timeline, look, x0, x1);
    });
}

}  // namespace

void TimelineView::draw_ruler(Timeline& timeline, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& ruler = timeline.areas.ruler;
    const Viewport& view = timeline.camera.view();
    const Nanos origin = timeline.trace().origin;
    ruler_scale_ = ruler_scale(view, origin, 100 * look.scale, 8 * look.scale);
    place_ticks(view, origin, ruler_scale_, ticks_);

    const float text = text_y(look, type::kSecondary, ruler.y0, ruler.height());
    const float left = timeline.areas.heads.x0;
    draw_text_cut(list, look, look.fonts.regular, type::kSecondary, {left + look.px(14), text},
                  look.colors.low, format_duration(static_cast<double>(view.span)) + " in view",
                  ruler.x0 - left - look.px(20));
    list.PushClipRect({ruler.x0, ruler.y0}, {ruler.x1, ruler.y1}, true);
    for (const RulerTick& tick : ticks_) {
        const float x = ruler.x0 + static_cast<float>(std::floor(tick.x));
        const float length = look.px(tick.major ? 8 : 4);
        list.AddRectFilled({x, ruler.y1 - length}, {x + 1, ruler.y1},
                           tick.major ? look.colors.line2 : look.colors.line);
        if (!tick.major) continue;
        const std::string label = tick_label(tick.time, origin, ruler_scale_);
        const float label_x = x + look.px(6);
        const float label_end =
            label_x + text_width(look, look.fonts.regular, type::kSecondary, label);
        // A label that is cut by an edge or a flag would be misread: "70 ms" for "370 ms".
        if (label_x < ruler.x0 || label_end > ruler.x1 ||
            is_covered(timeline, look, label_x, label_end))
            continue;
        draw_text(list, look, look.fonts.regular, type::kSecondary, {label_x, text},
                  look.colors.mid, label);
    }
    for (const auto& layer : timeline.layers) layer->draw_on_ruler(timeline, look, list);
    list.PopClipRect();
    list.AddRectFilled({left, ruler.y1 - 1}, {ruler.x1, ruler.y1}, look.colors.line);

    if (!timeline.pointer_inside) return;
    const float x = ImGui::GetIO().MousePos.x;
    const std::string label = cursor_label(view.time_at(x - ruler.x0), origin, view);
    const float width = text_width(look, look.fonts.medium, type::kTable, label) + look.px(16);
    const float at =
        std::round(std::clamp(x - width / 2, ruler.x0, std::max(ruler.x0, ruler.x1 - width)));
    const float y0 = ruler.y0 + look.px(2);
    const float y1 = ruler.y1 - look.px(2);
    list.AddRectFilled({at, y0}, {at + width, y1}, look.colors.raised, look.px(5));
    list.AddRect({at, y0}, {at + width, y1}, look.colors.line2, look.px(5));
    draw_text(list, look, look.fonts.medium, type::kTable,
              {at + look.px(8), text_y(look, type::kTable, y0, y1 - y0)}, look.colors.hi, label);
}

}  // namespace lanescope
