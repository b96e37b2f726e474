#include "core/report/report_pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/structure/attribution.h"
#include "core/base/format.h"
#include "core/export/pictures/svg_text.h"
#include "core/export/pictures/timeline_svg.h"
#include "core/view/first_arrangement.h"

namespace lanescope {

namespace {

constexpr double kWidth = 1120;
constexpr double kBarsHeight = 120;
constexpr double kBaseline = 96;
constexpr uint32_t kMostRows = 7;  // of a lane
constexpr std::string_view kBar = "#5a8fd6";
constexpr std::string_view kOddBar = "#d0661b";
constexpr std::string_view kFaintBar = "#a9b4c2";
constexpr std::string_view kInk = "#667380";

// The lane of the place, and that of the launch of the work in or after it.
std::vector<LaneId> lanes_of(const TraceContext& context, const FindingPlace& place) {
    std::vector<LaneId> lanes = {place.lane};
    const Trace& trace = context.trace();
    const Attribution& attribution = context.get<Attribution>();
    for (uint32_t row = 0; row < attribution.launch.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        if (slice.lane != place.lane || trace.start(slice) < place.range.begin) continue;
        if (attribution.launch[row]) lanes.push_back(attribution.launch[row].lane);
        break;
    }
    return lanes;
}

struct Bar {
    double value = 0;
    std::string_view fill = kBar;
    std::string title;
};

// Bars side by side over a common baseline, with a caption below.
std::string bars_svg(const std::vector<Bar>& bars, double width, const std::string& caption) {
    double most = 0;
    for (const Bar& bar : bars) most = std::max(most, bar.value);
    SvgLines svg;
    svg.put(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" role=\"img\" font-family=\"Roboto, Helvetica, Arial, sans-serif\">",
        width, kBarsHeight);
    svg.put("<title>{}</title>", svg_escaped(caption));
    const double each = width / static_cast<double>(std::max<std::size_t>(bars.size(), 1));
    for (std::size_t i = 0; i < bars.size() && most > 0; ++i) {
        const double height = std::max(1.0, bars[i].value / most * (kBaseline - 8));
        if (bars[i].value <= 0) continue;
        svg.put(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "fill=\"{}\"><title>{}</title></rect>",
            each * static_cast<double>(i), kBaseline - height, std::max(each - 1, 0.5), height,
            bars[i].fill, svg_escaped(bars[i].title));
    }
    svg.put("<rect x=\"0\" y=\"{}\" width=\"{}\" height=\"1\" fill=\"{}\"/>", kBaseline, width,
            kInk);
    svg.put("<text x=\"0\" y=\"{}\" font-size=\"12\" fill=\"{}\">{}</text>", kBarsHeight - 8, kInk,
            svg_escaped(caption));
    svg.put("</svg>");
    return svg.take();
}

}  // namespace

std::string finding_picture(const TraceContext& context, const ViewIndexPtr& index,
                            const Finding& finding) {
    if (finding.places.empty() || finding.places.front().lane == SliceRef::no_index) return {};
    const FindingPlace& place = finding.places.front();
    const Trace& trace = context.trace();
    LaneArrangement lanes = first_arrangement(trace);
    lanes.pinned.clear();
    lanes.quiet.clear();
    lanes.folded_groups.clear();
    lanes.folded.clear();
    lanes.omits_hidden = true;
    const std::vector<LaneId> shown = lanes_of(context, place);
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        lanes.hidden.erase(id);
        if (std::ranges::find(shown, id) == shown.end()) lanes.hidden.insert(id);
        lanes.most_rows[id] = kMostRows;
    }
    SvgOptions options;
    options.theme = Theme::light;
    options.width = kWidth;
    options.selected = place.slice;
    options.title = finding.title;
    const Nanos around = std::max<Nanos>(place.range.length() / 2, 5'000);
    options.range = {place.range.begin - around, place.range.end + around};
    const ViewRows rows = rows_for(trace, index->shown, options.range, options.selected);
    return timeline_svg(index, build_layout(trace, lanes, {}, index->shown, rows), options);
}

std::string steps_picture(const TraceContext& context, const Summary& summary) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    std::vector<Bar> bars;
    for (const SummaryStep& row : summary.steps.all) {
        const Nanos length = row.time;
        const std::string_view fill = row.warm_up ? kFaintBar : row.outlier ? kOddBar : kBar;
        bars.push_back(
            {static_cast<double>(length), fill,
             fmt::format("{}: {}{}", step_label(trace, steps, row.step), format_duration(length),
                         row.warm_up   ? ", warm-up"
                         : row.outlier ? ", an outlier"
                                       : "")});
    }
    return bars_svg(bars, kWidth,
                    fmt::format("{}, median {}{}", format_count(bars.size(), "step", "steps"),
                                format_duration(summary.steps.median),
                                summary.steps.warm_up > 0 ? "; grey: warm-up" : ""));
}

std::string histogram_picture(const DurationHistogram& histogram) {
    const Histogram& bins = histogram.bins;
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < bins.counts.size(); ++i)
        bars.push_back({static_cast<double>(bins.counts[i]), kBar,
                        fmt::format("{} to {}: {}", format_duration(bins.edges[i]),
                                    format_duration(bins.edges[i + 1]),
                                    format_count(bins.counts[i], "call", "calls"))});
    if (bars.empty()) return {};
    return bars_svg(bars, kWidth / 3,
                    fmt::format("{} to {}", format_duration(bins.edges.front()),
                                format_duration(bins.edges.back())));
}

}  // namespace lanescope
