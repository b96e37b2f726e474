#include "core/analysis/statistics/siblings.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/slice_query.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

namespace {

// Fraction of a picture's width that most instances should have.
constexpr double kMinPartInView = 0.2;
// A cut leaves at least this fraction of them in the picture.
constexpr double kMinShareBelowCut = 0.9;

std::vector<SliceRef> slices_of(const Trace& trace, const TableQuery& query, SiblingKind kind) {
    std::vector<SliceRef> slices;
    const auto named = [&](StringId name) {
        return kind.name == StringPool::none ? profiler_step_index(trace.strings[name]) >= 0
                                             : name == kind.name;
    };
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        if (trace.lanes[id].derived != kind.derived) continue;
        const LaneView view(trace.lanes[id]);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (view.category(i) == kind.category && named(view.name(i)) &&
                has_slice(trace, query, {id, i}, view.start(i)))
                slices.push_back({id, i});
    }
    return slices;
}

// Where the picture should end if outliers would take most of its width.
std::optional<double> cut_of(const Distribution& d, std::span<const Nanos> sorted) {
    const auto kept =
        static_cast<std::size_t>(kMinShareBelowCut * static_cast<double>(sorted.size() - 1));
    const double cut = std::max(d.outlier_limit, static_cast<double>(sorted[kept]));
    const auto min = static_cast<double>(d.min);
    const auto max = static_cast<double>(d.max);
    if (cut >= max || cut - min > kMinPartInView * (max - min)) return std::nullopt;
    return cut;
}

}  // namespace

SiblingKind sibling_kind(const Trace& trace, SliceRef slice) {
    const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
    SiblingKind kind{chunk->name[i], chunk->category[i], trace.lanes[slice.lane].derived};
    if (profiler_step_index(trace.strings[kind.name]) >= 0) kind.name = StringPool::none;
    return kind;
}

std::span<const SliceRef> Siblings::in_bin(std::size_t bin) const {
    std::size_t first = 0;
    for (std::size_t i = 0; i < bin; ++i) first += shown.counts[i];
    return std::span(by_duration).subspan(first, shown.counts[bin]);
}

std::span<const SliceRef> Siblings::beyond_cut() const {
    std::size_t inside = 0;
    for (const uint64_t count : shown.counts) inside += count;
    return std::span(by_duration).subspan(inside);
}

std::optional<std::size_t> Siblings::bin_of(Nanos duration) const {
    const auto value = static_cast<double>(duration);
    if (value < shown.edges.front() || value > shown.edges.back()) return std::nullopt;
    const auto above = std::upper_bound(shown.edges.begin(), shown.edges.end(), value);
    const auto bin = static_cast<std::size_t>(above - shown.edges.begin()) - 1;
    return std::min(bin, shown.counts.size() - 1);
}

SliceRef Siblings::at_quantile(double q) const {
    const double place = q * static_cast<double>(by_duration.size() - 1);
    return by_duration[static_cast<std::size_t>(std::lround(place))];
}

std::optional<Siblings> siblings_of(const Trace& trace, const TableQuery& query, SiblingKind kind) {
    return siblings_among(trace, slices_of(trace, query, kind), kind);
}

std::optional<Siblings> siblings_among(const Trace& trace, std::vector<SliceRef> slices,
                                       SiblingKind kind) {
    if (slices.empty()) return std::nullopt;
    Siblings siblings;
    siblings.kind = kind;
    siblings.name =
        kind.name == StringPool::none ? "ProfilerStep*" : std::string(trace.strings[kind.name]);
    siblings.all = histogram_of_slices(trace, std::move(slices));
    siblings.by_duration = siblings.all.slices;
    const auto duration = [&](SliceRef slice) { return trace.duration(slice); };
    std::vector<Nanos>& durations = siblings.durations;
    for (const SliceRef slice : siblings.by_duration) durations.push_back(duration(slice));
    siblings.warm_up = warm_up_count(durations);
    std::sort(durations.begin(), durations.end());
    std::ranges::stable_sort(siblings.by_duration, {}, duration);
    siblings.cut = cut_of(siblings.all.durations, durations);
    siblings.shown = siblings.all.bins;
    if (siblings.cut) {
        const auto end = std::partition_point(durations.begin(), durations.end(), [&](Nanos value) {
            return static_cast<double>(value) <= *siblings.cut;
        });
        siblings.shown = histogram_of(std::span<const Nanos>(durations.begin(), end));
    }
    return siblings;
}

}  // namespace lanescope
