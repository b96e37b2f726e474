#include "core/export/tables/histogram_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/export/words/written_by.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxLines = 24;  // bins are joined into at most this many bars
constexpr std::size_t kMaxOutliers = 10;

nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

// A bar of full blocks; its end has a resolution of an eighth of a block.
std::string bar(double share, std::size_t width) {
    const auto eighths =
        static_cast<std::size_t>(std::lround(share * static_cast<double>(width) * 8));
    std::string text;
    for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
    constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    text += parts[eighths % 8];
    // Any share above zero is visible.
    return text.empty() && share > 0 ? "▏" : text;
}

std::string bars(const Histogram& bins, const TextStyle& style) {
    const std::size_t joined = (bins.counts.size() + kMaxLines - 1) / kMaxLines;
    std::vector<uint64_t> counts;
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < bins.counts.size(); i += joined) {
        const std::size_t end = std::min(i + joined, bins.counts.size());
        uint64_t sum = 0;
        for (std::size_t b = i; b < end; ++b) sum += bins.counts[b];
        counts.push_back(sum);
        rows.push_back({format_duration(bins.edges[i]), format_duration(bins.edges[end]),
                        format_count(static_cast<int64_t>(sum)), ""});
    }
    const auto highest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    const std::size_t width = style.width > 60 ? static_cast<std::size_t>(style.width) - 40 : 40;
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i][3] = bar(static_cast<double>(counts[i]) / highest, width);
    return write_grid({{"from", true, false}, {"to", true, false}, {"count", true, false}, {""}},
                      rows, style);
}

std::string statistics(const Distribution& d, double mode, const TextStyle& style) {
    const std::vector<std::vector<std::string>> rows = {
        {"count", format_count(static_cast<int64_t>(d.count)), "min", format_duration(d.min)},
        {"mean", format_duration(d.mean), "p50", format_duration(d.p50)},
        {"± 95 %", format_duration(d.ci95), "p90", format_duration(d.p90)},
        {"sd", format_duration(d.sd), "p99", format_duration(d.p99)},
        {"mode", format_duration(mode), "max", format_duration(d.max)},
    };
    return write_grid(
        {{"", false, false}, {"", true, false}, {"", false, false}, {"", true, false}}, rows,
        style);
}

std::string outliers(const Trace& trace, const DurationHistogram& histogram,
                     const TextStyle& style) {
    const std::size_t shown = std::min(histogram.outliers.size(), kMaxOutliers);
    std::string text = fmt::format("\n{} {} over {}",
                                   format_count(static_cast<int64_t>(histogram.outliers.size())),
                                   histogram.outliers.size() == 1 ? "outlier" : "outliers",
                                   format_duration(histogram.durations.outlier_limit));
    text += shown < histogram.outliers.size() ? fmt::format("; the longest {}:\n", shown)
            : shown > 0                       ? ":\n"
                                              : "\n";
    if (shown == 0) return text;
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < shown; ++i) {
        const SliceRef slice = histogram.outliers[i];
        rows.push_back({format_duration_exact(trace.start(slice) - trace.origin),
                        format_duration(trace.duration(slice)),
                        printable(trace.strings[trace.lanes[slice.lane].name]),
                        printable(trace.name(slice))});
    }
    return text + write_grid({{"at", true, false}, {"duration", true, false}, {"lane"}, {"name"}},
                             rows, style);
}

}  // namespace

std::string histogram_as_json(const Trace& trace, const DurationHistogram& histogram) {
    const Distribution& d = histogram.durations;
    nlohmann::ordered_json out;
    out[std::string(kWrittenByKey)] = kWrittenBy;
    out["names"] = histogram.names;
    out["edges_ns"] = histogram.bins.edges;
    out["counts"] = histogram.bins.counts;
    out["count"] = d.count;
    out["total_ns"] = d.total;
    out["mean_ns"] = number(d.mean);
    out["sd_ns"] = number(d.sd);
    out["ci95_ns"] = number(d.ci95);
    out["min_ns"] = d.min;
    out["p50_ns"] = number(d.p50);
    out["p90_ns"] = number(d.p90);
    out["p99_ns"] = number(d.p99);
    out["max_ns"] = d.max;
    out["mode_ns"] = number(histogram.bins.mode);
    out["outlier_limit_ns"] = number(d.outlier_limit);
    auto& list = out["outliers"] = nlohmann::ordered_json::array();
    for (const SliceRef slice : histogram.outliers)
        list.push_back({{"name", trace.name(slice)},
                        {"lane", trace.strings[trace.lanes[slice.lane].name]},
                        {"start_ns", trace.start(slice) - trace.origin},
                        {"duration_ns", trace.duration(slice)}});
    return out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string histogram_as_text(const Trace& trace, const DurationHistogram& histogram,
                              const TextStyle& style) {
    std::string text;
    const std::size_t shown = std::min<std::size_t>(histogram.names.size(), 5);
    for (std::size_t i = 0; i < shown; ++i)
        text += bold(printable(histogram.names[i]), style) + "\n";
    if (shown < histogram.names.size())
        text += fmt::format("and {} more names\n", histogram.names.size() - shown);
    return text + "\n" + bars(histogram.bins, style) + "\n" +
           statistics(histogram.durations, histogram.bins.mode, style) +
           outliers(trace, histogram, style);
}

}  // namespace lanescope
