#include "core/report/memory_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/memory/memory_blocks.h"
#include "core/base/format.h"
#include "core/export/pictures/svg_text.h"

namespace lanescope {

namespace {

constexpr int kColumns = 1120;  // of pixels
constexpr double kTop = 8;
constexpr double kBottom = 128;
constexpr double kHeight = 152;
constexpr std::string_view kAllocated = "#5a8fd6";
constexpr std::string_view kReserved = "#d0661b";
constexpr std::string_view kCaption = "#667380";

// The highest value in each column; a value lasts until the next event. kNoValue: none so far.
std::vector<int64_t> highest_by_column(const Trace& trace, const MemoryCurve& curve,
                                       const std::vector<int64_t>& values, TimeRange range) {
    std::vector<int64_t> columns(kColumns, kNoValue);
    const double scale = kColumns / static_cast<double>(std::max<Nanos>(range.length(), 1));
    int64_t value = kNoValue;
    int next = 0;  // the first column that does not have the present value yet
    const auto fill = [&](int end) {
        for (; next < end; ++next) columns[static_cast<std::size_t>(next)] = value;
    };
    for (std::size_t i = 0; i < curve.rows.size(); ++i) {
        const Nanos time = trace.memory_events.time[curve.rows[i]];
        if (time > range.end) break;
        if (time >= range.begin) {
            const int column = std::min(
                static_cast<int>(static_cast<double>(time - range.begin) * scale), kColumns - 1);
            fill(column + 1);
            int64_t& highest = columns[static_cast<std::size_t>(column)];
            if (values[i] != kNoValue) highest = std::max(highest, values[i]);
        }
        value = values[i];
    }
    fill(kColumns);
    return columns;
}

int64_t highest_of(const std::vector<int64_t>& columns) {
    int64_t highest = kNoValue;
    for (const int64_t value : columns)
        if (value != kNoValue) highest = std::max(highest, value);
    return highest;
}

// The steps of a curve as path data, from the left; empty: there is no value.
std::string steps_of(const std::vector<int64_t>& columns, double most) {
    std::string path;
    int64_t last = kNoValue;
    for (int x = 0; x < kColumns; ++x) {
        const int64_t value = columns[static_cast<std::size_t>(x)];
        if (value == kNoValue || (value == last && x + 1 < kColumns)) continue;
        const double y =
            kBottom - (kBottom - kTop) * std::max(0.0, static_cast<double>(value)) / most;
        path += path.empty() ? fmt::format("M{} {:.1f}", x, y) : fmt::format("H{}V{:.1f}", x, y);
        last = value;
    }
    return path.empty() ? path : path + fmt::format("H{}", kColumns);
}

std::string curve_picture(const Trace& trace, const MemoryCurve& curve, TimeRange range) {
    const std::vector<int64_t> allocated = highest_by_column(trace, curve, curve.allocated, range);
    const std::vector<int64_t> reserved = highest_by_column(trace, curve, curve.reserved, range);
    const int64_t peak = highest_of(allocated);
    const int64_t peak_reserved = highest_of(reserved);
    const int64_t highest = std::max(peak, peak_reserved);
    if (peak == kNoValue || highest <= 0) return {};
    const std::string device =
        curve.device_type == 0 ? "CPU" : fmt::format("GPU {}", curve.device_id);
    std::string caption =
        fmt::format("{}: at most {} allocated (blue)", device, format_bytes(peak));
    const bool has_reserved = peak_reserved > 0;  // CPUs have 0
    if (has_reserved)
        caption += fmt::format(", {} reserved (orange line)", format_bytes(peak_reserved));
    caption += fmt::format("; {} from left to right", format_duration(range.length()));
    const auto most = static_cast<double>(highest);
    SvgLines svg;
    svg.put(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" font-family="Roboto, Helvetica, Arial, sans-serif">)",
        kColumns, kHeight);
    svg.put("<title>{}</title>", svg_escaped(caption));
    const std::size_t first = static_cast<std::size_t>(
        std::ranges::find_if(allocated, [](int64_t value) { return value != kNoValue; }) -
        allocated.begin());
    svg.put(R"(<path d="{}V{}H{}Z" fill="{}"/>)", steps_of(allocated, most), kBottom, first,
            kAllocated);
    if (const std::string line = steps_of(reserved, most); has_reserved)
        svg.put(R"(<path d="{}" fill="none" stroke="{}" stroke-width="1.5"/>)", line, kReserved);
    svg.put(R"(<rect x="0" y="{}" width="{}" height="1" fill="{}"/>)", kBottom, kColumns, kCaption);
    svg.put(R"(<text x="0" y="{}" font-size="12" fill="{}">{}</text>)", kHeight - 8, kCaption,
            svg_escaped(caption));
    svg.put("</svg>");
    return svg.take();
}

}  // namespace

std::vector<std::string> memory_pictures(const TraceContext& context,
                                         const std::optional<TimeRange>& range, std::size_t most) {
    const Trace& trace = context.trace();
    std::vector<const MemoryCurve*> curves;
    for (const MemoryCurve& curve : context.get<MemoryCurves>().all)
        if (curve.rows.size() > 1) curves.push_back(&curve);
    std::ranges::stable_sort(curves, std::greater<>(),
                             [](const MemoryCurve* curve) { return highest_of(curve->allocated); });
    std::vector<std::string> pictures;
    for (const MemoryCurve* const curve : curves) {
        if (pictures.size() == most) break;
        std::string picture = curve_picture(trace, *curve, range.value_or(trace.content));
        if (!picture.empty()) pictures.push_back(std::move(picture));
    }
    return pictures;
}

}  // namespace lanescope
