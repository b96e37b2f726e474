#include "core/analysis/statistics/histogram.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/slice_query.h"

namespace lanescope {

namespace {

bool wanted_class(const Trace& trace, HistogramOf kind, CategoryId category) {
    const Category& c = trace.categories[category];
    if (kind == HistogramOf::kernels) return is_gpu_activity_category(trace.strings[c.name]);
    return c.event_class == EventClass::op || c.event_class == EventClass::annotation;
}

// Tests each distinct name once.
std::vector<uint8_t> fitting_names(const Trace& trace, const re2::RE2& pattern) {
    std::vector<uint8_t> fits(trace.strings.size());
    for (StringId id = 0; id < fits.size(); ++id) {
        const std::string_view name = trace.strings[id];
        fits[id] = re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), pattern);
    }
    return fits;
}

std::vector<SliceRef> fitting_slices(const Trace& trace, const TableQuery& query, HistogramOf kind,
                                     const std::vector<uint8_t>& fits) {
    std::vector<SliceRef> slices;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        if (kind == HistogramOf::operators && is_gpu_lane(trace, lane)) continue;
        const LaneView view(lane);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (fits[view.name(i)] && wanted_class(trace, kind, view.category(i)) &&
                has_slice(trace, query, {id, i}, view.start(i)))
                slices.push_back({id, i});
    }
    return slices;
}

std::vector<std::string> names_of(const Trace& trace, const std::vector<SliceRef>& slices) {
    std::vector<uint8_t> seen(trace.strings.size());
    std::vector<std::string> names;
    for (const SliceRef slice : slices) {
        const StringId id = trace.name_id(slice);
        if (!seen[id]) names.emplace_back(trace.strings[id]);
        seen[id] = 1;
    }
    std::sort(names.begin(), names.end());
    return names;
}

Error usage(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

}  // namespace

struct HistogramTableRow {
    const DurationHistogram& histogram;
    std::size_t bin;
};

namespace {

constexpr auto kHistogramColumns = columns<HistogramTableRow>({
    {{"from_ns", Unit::nanoseconds, kMin, "", "Lower edge of the bin."},
     [](const HistogramTableRow& row) { return row.histogram.bins.edges[row.bin]; }},
    {{"to_ns", Unit::nanoseconds, kMax, "", "Upper edge; included only in the last bin."},
     [](const HistogramTableRow& row) { return row.histogram.bins.edges[row.bin + 1]; }},
    {{"count", Unit::count, kSum, "", "Instances in the bin."},
     [](const HistogramTableRow& row) { return row.histogram.bins.counts[row.bin]; }},
    {{"share", Unit::ratio, kSum, "", "Fraction of all instances."},
     [](const HistogramTableRow& row) {
         return static_cast<double>(row.histogram.bins.counts[row.bin]) /
                static_cast<double>(row.histogram.durations.count);
     }},
});

}  // namespace

const TableOf<HistogramTableRow> kHistogramTable = {
    {"histogram", "Number of instances by duration."}, kHistogramColumns};

DurationHistogram histogram_of_slices(const Trace& trace, std::vector<SliceRef> slices) {
    std::ranges::stable_sort(slices, {}, [&](SliceRef slice) { return trace.start(slice); });
    DurationHistogram histogram;
    histogram.slices = std::move(slices);
    histogram.names = names_of(trace, histogram.slices);
    std::vector<Nanos> sorted;
    for (const SliceRef slice : histogram.slices) sorted.push_back(trace.duration(slice));
    std::sort(sorted.begin(), sorted.end());
    histogram.durations = distribution_of(sorted);
    histogram.bins = histogram_of(sorted);
    for (const SliceRef slice : histogram.slices)
        if (static_cast<double>(trace.duration(slice)) > histogram.durations.outlier_limit)
            histogram.outliers.push_back(slice);
    std::ranges::stable_sort(histogram.outliers, std::greater(),
                             [&](SliceRef slice) { return trace.duration(slice); });
    return histogram;
}

Result<DurationHistogram> duration_histogram(const TraceContext& context, const TableQuery& query,
                                             HistogramOf kind, const std::string& pattern) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    const re2::RE2 expression(pattern, options);
    if (!expression.ok())
        return usage(
            fmt::format("\"{}\" is not a regular expression: {}.", pattern, expression.error()));
    const Trace& trace = context.trace();
    std::vector<SliceRef> slices =
        fitting_slices(trace, query, kind, fitting_names(trace, expression));
    if (slices.empty())
        return usage(fmt::format("No {} {} a name that \"{}\" fits.",
                                 kind == HistogramOf::kernels ? "kernel" : "operator",
                                 query.range ? "in that range has" : "has", pattern));
    return histogram_of_slices(trace, std::move(slices));
}

Table histogram_table(const DurationHistogram& histogram) {
    TableBuilder table(kHistogramTable);
    for (std::size_t bin = 0; bin < histogram.bins.counts.size(); ++bin)
        table.add({histogram, bin});
    return table.take();
}

}  // namespace lanescope
