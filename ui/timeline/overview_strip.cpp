// The overview: the whole trace in one strip, with a window on the visible part.
#include <algorithm>
#include <cmath>

#include "ui/timeline/lane_painter.h"
#include "ui/timeline/lost_layer.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

namespace {

struct Bars {
    float x0, x1, base;
    float height;  // negative: upwards
};

void paint_bars(const std::vector<float>& columns, Bars bars, ImU32 color, QuadBatch& batch) {
    if (columns.empty()) return;
    const double per_px = static_cast<double>(columns.size()) / std::max(1.0f, bars.x1 - bars.x0);
    const auto pixels = static_cast<int>(std::ceil(bars.x1 - bars.x0));
    // Neighbours of equal height form one quad.
    float from = bars.x0;
    float standing = 0;
    const auto finish = [&](float x) {
        if (standing != 0) {
            batch.quad(from, std::min(bars.base, bars.base + standing), x,
                       std::max(bars.base, bars.base + standing), color);
        }
        from = x;
    };
    for (int pixel = 0; pixel < pixels; ++pixel) {
        const float x = bars.x0 + static_cast<float>(pixel);
        const double at = (x - bars.x0) * per_px;
        const float busy = busiest(columns, at, at + per_px);
        const float height =
            busy <= 0 ? 0
                      : std::copysign(std::max(1.0f, std::round(std::abs(bars.height) * busy)),
                                      bars.height);
        if (height == standing) continue;
        finish(x);
        standing = height;
    }
    finish(bars.x0 + static_cast<float>(pixels));
}

}  // namespace

void TimelineView::draw_overview(Timeline& timeline, const Look& look, Canvas& canvas) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& box = timeline.areas.overview;
    const float left = timeline.areas.lanes.x0;
    const Overview& overview = timeline.overview;
    const bool knows_lost = !timeline.layer<LostTimeLayer>().columns.empty();
    const float room = left - box.x0 - look.px(20);
    draw_text_cut(list, look, look.fonts.medium, type::kTable,
                  {box.x0 + look.px(14), box.y0 + look.px(10)}, look.colors.mid, "Overview", room);
    draw_text_cut(list, look, look.fonts.regular, type::kSecondary,
                  {box.x0 + look.px(14), box.y0 + look.px(30)}, look.colors.low,
                  overview.counts_threads ? "CPU: busy threads"
                  : !overview.has_gpu     ? "CPU"
                  : knows_lost            ? "CPU, GPU, lost time at foot"
                                          : "CPU above, GPU below",
                  room);

    const TimeRange all = timeline.overview.range;
    const Viewport& view = timeline.camera.view();
    const double per_nano =
        box.x1 > left ? (box.x1 - left) / static_cast<double>(std::max<Nanos>(1, all.length())) : 0;
    const auto x_of = [&](double nanos) {
        return std::clamp(left + static_cast<float>(std::round(nanos * per_nano)), left, box.x1);
    };
    const double begin = static_cast<double>(view.start - all.begin) + view.fraction;
    float x0 = x_of(begin);
    float x1 = x_of(begin + view.span);
    const float min_width = look.px(4);
    if (x1 - x0 < min_width) {
        x0 = std::clamp((x0 + x1 - min_width) / 2, left, box.x1 - min_width);
        x1 = x0 + min_width;
    }

    overview_batch_.clear();
    const float top = box.y0 + look.px(8);
    const float bottom = box.y1 - look.px(knows_lost ? 4 + kLostHeight : 4);
    const float base = std::round(overview.has_gpu ? box.y0 + box.height() * 0.54f : bottom);
    const Colors& c = look.colors;
    const auto color_of = [&](EventClass event_class) {
        return c.fill[static_cast<std::size_t>(event_class)];
    };
    // If everything is visible, the window would only tint the whole overview.
    const bool whole = view.span >= 0.999 * static_cast<double>(all.length());
    if (!whole) overview_batch_.quad_below(x0, box.y0, x1, box.y1, mixed(c.panel, c.accent, 0.22f));
    paint_bars(overview.cpu, {left, box.x1, base, top - base}, color_of(EventClass::op),
               overview_batch_);
    if (overview.has_gpu) {
        paint_bars(overview.gpu, {left, box.x1, base + 1, bottom - base},
                   color_of(EventClass::kernel), overview_batch_);
    }
    for (const auto& layer : timeline.layers)
        layer->paint_overview(timeline, look, overview_batch_);
    const float line = std::max(1.0f, look.px(1.5f));
    overview_batch_.quad(x0, box.y0, x0 + line, box.y1, c.accent);
    overview_batch_.quad(x1 - line, box.y0, x1, box.y1, c.accent);
    overview_batch_.quad(box.x0, box.y1 - 1, box.x1, box.y1, c.line);

    list.PushClipRect({box.x0, box.y0}, {box.x1, box.y1}, true);
    canvas.painter().add_to(list, overview_batch_);
    for (const auto& layer : timeline.layers) layer->draw_on_overview(timeline, look, list);
    list.PopClipRect();
    if (!hovered_) return;
    for (const auto& layer : timeline.layers)
        layer->draw_card(timeline, look, ImGui::GetIO().MousePos);
}

}  // namespace lanescope
