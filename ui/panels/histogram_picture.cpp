#include "ui/panels/histogram_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "core/view/ruler.h"

namespace lanescope {

namespace {

constexpr float kAxis = 18;         // height of the labels below
constexpr float kBeyond = 34;       // width of the bar for everything beyond the cut
constexpr float kOutlierGap = 14;   // space between that bar and the others
constexpr float kValue = 3;         // half width of a bar for a single value
constexpr float kNear = 3;          // distance within which a bar is hit
constexpr float kMinBarHeight = 2;  // minimum height of a non-empty bar
constexpr float kGapFrom = 4;       // bars of at least this width have a pixel between them
constexpr float kBarTint = 0.5f;

// Maps a duration to its position in the plot.
struct DurationScale {
    double from = 0;
    double span = 1;
    float x0 = 0, width = 1;

    float x(double duration) const {
        return x0 + static_cast<float>((duration - from) / span) * width;
    }
};

DurationScale scale_of(const Siblings& siblings, const Box& plot, float scale) {
    const Histogram& shown = siblings.shown;
    const float beyond = siblings.cut ? std::round((kBeyond + kOutlierGap) * scale) : 0;
    const double to = shown.of_values ? shown.edges[shown.counts.size() - 1] : shown.edges.back();
    DurationScale result{shown.edges.front(), to - shown.edges.front(), plot.x0,
                         plot.width() - beyond};
    if (shown.of_values) {  // bars are centred on their values
        result.x0 += kValue * scale;
        result.width -= 2 * kValue * scale;
    }
    if (result.span <= 0) {
        result.from -= 1;
        result.span = 2;
    }
    return result;
}

const HistogramBar* bar_at(const std::vector<HistogramBar>& bars, float x, float max_distance) {
    const HistogramBar* best = nullptr;
    float distance = max_distance;
    for (const HistogramBar& bar : bars) {
        const float off = std::max({bar.x0 - x, x - bar.x1, 0.0f});
        if (off > distance || (best && off == distance)) continue;
        best = &bar;
        distance = off;
    }
    return best;
}

std::span<const SliceRef> instances(const Siblings& siblings, const HistogramBar& bar) {
    return bar.bin ? siblings.in_bin(*bar.bin) : siblings.beyond_cut();
}

SliceRef next_of(std::span<const SliceRef> shortest_first, SliceRef selected) {
    const auto at = std::find(shortest_first.begin(), shortest_first.end(), selected);
    const bool first = at == shortest_first.end() || at == shortest_first.begin();
    return first ? shortest_first.back() : *(at - 1);
}

bool holds(const Siblings& siblings, const HistogramBar& bar, Nanos duration) {
    return bar.bin ? siblings.bin_of(duration) == bar.bin
                   : siblings.cut && static_cast<double>(duration) > *siblings.cut;
}

void draw_bars(const Siblings& siblings, const std::vector<HistogramBar>& bars, const Box& plot,
               std::optional<Nanos> marked, const HistogramBar* hovered, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    uint64_t highest = 1;
    for (const HistogramBar& bar : bars) highest = std::max(highest, bar.count);
    for (const HistogramBar& bar : bars) {
        const double part = static_cast<double>(bar.count) / static_cast<double>(highest);
        const float height =
            std::max(std::round(static_cast<float>(part) * plot.height()), look.px(kMinBarHeight));
        const ImU32 full = bar.bin ? look.colors.accent : look.colors.waiting;
        const bool own = marked && holds(siblings, bar, *marked);
        const float tint = own ? 1 : &bar == hovered ? (1 + kBarTint) / 2 : kBarTint;
        list.AddRectFilled({bar.x0, plot.y1 - height}, {bar.x1, plot.y1},
                           mixed(look.colors.panel, full, tint));
    }
}

// A line at the exact duration, with a foot below the axis.
void draw_marker(float x, const Box& plot, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float at = std::floor(x);
    list.AddRectFilled({at, plot.y0}, {at + 1, plot.y1}, look.colors.hi);
    const float side = look.px(4);
    list.AddTriangleFilled({at + 0.5f - side, plot.y0}, {at + 0.5f + side, plot.y0},
                           {at + 0.5f, plot.y0 + side}, look.colors.hi);
}

void label(const Look& look, float x, float align, const Box& plot, std::string_view text,
           ImU32 color, const Box& box) {
    const float width = text_width(look, look.fonts.regular, type::kSecondary, text);
    const float at = std::clamp(x - align * width, box.x0, std::max(box.x0, box.x1 - width));
    draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kSecondary,
              {std::round(at), plot.y1 + look.px(3)}, color, text);
}

void draw_ends(const Siblings& siblings, const Box& plot, const Box& box, const Look& look) {
    const Distribution& d = siblings.all.durations;
    label(look, plot.x0, 0, plot, format_duration(d.min), look.colors.low, box);
    label(look, plot.x1, 1, plot, format_duration(d.max), look.colors.low, box);
}

void draw_ticks(const Siblings& siblings, const DurationScale& scale, const Box& plot,
                const Box& box, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    Viewport view;
    view.start = static_cast<Nanos>(scale.from);
    view.span = std::max(scale.span, 1.0);
    view.width = std::max(scale.width, 1.0f);
    const RulerScale ruler = ruler_scale(view, 0, 100 * look.scale, 8 * look.scale);
    std::vector<RulerTick> ticks;
    place_ticks(view, 0, ruler, ticks);
    const float right = scale.x0 + scale.width;
    for (const RulerTick& tick : ticks) {
        const float x = std::floor(scale.x(static_cast<double>(tick.time)));
        if (!tick.major || x < plot.x0 || x > right) continue;
        list.AddRectFilled({x, plot.y1}, {x + 1, plot.y1 + look.px(4)}, look.colors.line2);
        const std::string text = tick_label(tick.time, 0, ruler);
        const float width = text_width(look, look.fonts.regular, type::kSecondary, text);
        if (x + width / 2 > right && siblings.cut) continue;
        label(look, x, 0.5f, plot, text, look.colors.low, box);
    }
    if (siblings.cut) label(look, plot.x1, 1, plot, "longer", look.colors.waiting, box);
}

std::string edge_text(double edge, double width) {
    const TimeUnit unit = time_unit_for(static_cast<Nanos>(edge));
    const double part = width / static_cast<double>(time_unit_nanos(unit));
    const int decimals = part > 0 ? static_cast<int>(std::ceil(-std::log10(part))) : 0;
    const auto whole = static_cast<Nanos>(std::llround(edge));
    return format_duration_in(whole, unit, std::clamp(decimals, 0, 6));
}

}  // namespace

Box histogram_plot(const Box& box, const Look& look) {
    return {box.x0, box.y0, box.x1, box.y1 - look.px(kAxis)};
}

std::vector<HistogramBar> histogram_bars(const Siblings& siblings, const Box& plot, float scale) {
    std::vector<HistogramBar> bars;
    const Histogram& shown = siblings.shown;
    const DurationScale to_x = scale_of(siblings, plot, scale);
    for (std::size_t bin = 0; bin < shown.counts.size(); ++bin) {
        if (shown.counts[bin] == 0) continue;
        float x0 = to_x.x(shown.edges[bin]);
        float x1 = to_x.x(shown.edges[bin + 1]);
        if (shown.of_values) {
            x1 = x0 + kValue * scale;
            x0 -= kValue * scale;
        }
        x0 = std::floor(x0);
        x1 = std::max(std::floor(x1), x0 + 1);
        if (x1 - x0 >= kGapFrom * scale) x1 -= std::round(scale);
        bars.push_back({bin, shown.counts[bin], x0, x1});
    }
    if (const std::size_t beyond = siblings.beyond_cut().size(); beyond > 0)
        bars.push_back(
            {std::nullopt, beyond, plot.x1 - std::round(kBeyond * scale), std::floor(plot.x1)});
    return bars;
}

HistogramClick draw_histogram(const Trace& trace, const Siblings& siblings, SliceRef selected,
                              const Box& box, HistogramAxis axis, const Look& look) {
    const Box plot = histogram_plot(box, look);
    const std::vector<HistogramBar> bars = histogram_bars(siblings, plot, look.scale);
    ImGui::SetCursorScreenPos({box.x0, box.y0});
    const bool clicked = ImGui::InvisibleButton("histogram", {box.width(), box.height()});
    const HistogramBar* hovered = nullptr;
    HistogramClick result;
    if (ImGui::IsItemHovered())
        hovered = bar_at(bars, ImGui::GetIO().MousePos.x, kNear * look.scale);
    if (hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        result.hovered = *hovered;
        if (clicked) result.slice = next_of(instances(siblings, *hovered), selected);
    }
    const std::optional<Nanos> marked =
        selected ? std::optional(trace.duration(selected)) : std::nullopt;
    draw_bars(siblings, bars, plot, marked, hovered, look);
    ImGui::GetWindowDrawList()->AddRectFilled({plot.x0, plot.y1}, {plot.x1, plot.y1 + 1},
                                              look.colors.line2);
    const DurationScale scale = scale_of(siblings, plot, look.scale);
    if (marked && siblings.bin_of(*marked))
        draw_marker(scale.x(static_cast<double>(*marked)), plot, look);
    if (axis == HistogramAxis::ends)
        draw_ends(siblings, plot, box, look);
    else
        draw_ticks(siblings, scale, plot, box, look);
    return result;
}

std::string bar_text(const Siblings& siblings, const HistogramBar& bar) {
    const Distribution& d = siblings.all.durations;
    const std::string counts =
        fmt::format("{} of {} {}", format_count(static_cast<int64_t>(bar.count)),
                    format_count(static_cast<int64_t>(d.count)), bar.count == 1 ? "takes" : "take");
    if (!bar.bin)
        return fmt::format("{} longer than {}, up to {}", counts, format_duration(*siblings.cut),
                           format_duration(d.max));
    const Histogram& shown = siblings.shown;
    const double from = shown.edges[*bar.bin];
    if (shown.of_values) return counts + " " + format_duration_exact(static_cast<Nanos>(from));
    const double to = shown.edges[*bar.bin + 1];
    return fmt::format("{} {} … {}", counts, edge_text(from, to - from), edge_text(to, to - from));
}

std::string mean_text(const Distribution& durations) {
    std::string text = format_duration(durations.mean);
    if (std::isfinite(durations.ci95)) text += " ± " + format_duration(durations.ci95);
    return text;
}

}  // namespace lanescope
