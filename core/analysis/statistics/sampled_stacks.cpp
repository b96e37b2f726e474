#include "core/analysis/statistics/sampled_stacks.h"

#include <algorithm>
#include <optional>

#include "core/analysis/structure/lane_view.h"

namespace lanescope {

namespace {

// The fraction of a slice that is in the range.
double part_in_query(const TableQuery& query, Nanos begin, Nanos end) {
    if (!query.range) return 1;
    if (begin == end) return query.range->contains(begin) ? 1 : 0;
    const Nanos part = std::min(end, query.range->end) - std::max(begin, query.range->begin);
    return static_cast<double>(std::max<Nanos>(part, 0)) / static_cast<double>(end - begin);
}

double known_count(const Column<int64_t>& counts, uint32_t row) {
    const bool is_known = row < counts.size() && counts[row] != kNoValue;
    return is_known ? static_cast<double>(counts[row]) : 0;
}

class SampledLaneReader {
  public:
    SampledLaneReader(const Trace& trace, const TableQuery& query) : trace_(trace), query_(query) {
        for (const Category& category : trace.categories)
            kinds_.push_back(sample_kind(trace.strings[category.name]));
    }

    SampledLane read(LaneId lane) const {
        SampledLane out{lane, build_call_tree(trace_.lanes[lane]), {}};
        const LaneView view(trace_.lanes[lane]);
        out.calls.resize(view.size());
        const auto slices = trace_.sampled_calls.slice.span();
        for (auto row = static_cast<uint32_t>(std::ranges::lower_bound(slices, SliceRef{lane, 0}) -
                                              slices.begin());
             row < slices.size() && slices[row].lane == lane; ++row)
            add(view, slices[row], row, out.calls[slices[row].index]);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (const uint32_t caller = out.tree.parent[i]; caller != CallTree::none)
                out.calls[caller].self -= out.calls[i].total;
        return out;
    }

  private:
    void add(const LaneView& view, SliceRef slice, uint32_t row, SampledSlice& call) const {
        const Nanos begin = view.start(slice.index);
        const Nanos end = view.end(slice.index);
        const double part = part_in_query(query_, begin, end);
        const std::optional<SampleKind> kind = kinds_[view.category(slice.index)];
        if (part == 0 || !kind) return;
        const SampledCalls& calls = trace_.sampled_calls;
        // If the time was not recorded: the slice's length, which may include short pauses.
        const Nanos cpu_time = calls.cpu_time[row];
        const Nanos time = cpu_time == kNoValue ? end - begin : cpu_time;
        call.slice = slice;
        call.function = {view.name(slice.index), calls.module[row], *kind};
        call.total = SampleWeight{static_cast<double>(calls.samples[row]),
                                  static_cast<double>(time), known_count(calls.gil_samples, row),
                                  known_count(calls.running_samples, row)} *
                     part;
        call.self += call.total;
    }

    const Trace& trace_;
    const TableQuery& query_;
    std::vector<std::optional<SampleKind>> kinds_;  // by category
};

}  // namespace

SampleWeight& SampleWeight::operator+=(const SampleWeight& other) {
    samples += other.samples;
    time += other.time;
    gil += other.gil;
    running += other.running;
    return *this;
}

SampleWeight& SampleWeight::operator-=(const SampleWeight& other) {
    samples -= other.samples;
    time -= other.time;
    gil -= other.gil;
    running -= other.running;
    return *this;
}

SampleWeight operator*(SampleWeight weight, double factor) {
    return {weight.samples * factor, weight.time * factor, weight.gil * factor,
            weight.running * factor};
}

std::tuple<std::string_view, std::string_view, SampleKind> text_order(
    const Trace& trace, const SampledFunction& function) {
    return {trace.strings[function.name], trace.strings[function.module], function.kind};
}

void for_each_sampled_lane(const Trace& trace, const TableQuery& query,
                           const std::function<void(const SampledLane&)>& visit) {
    const SampledLaneReader reader(trace, query);
    const auto slices = trace.sampled_calls.slice.span();
    for (auto next = slices.begin(); next != slices.end();) {
        const LaneId lane = next->lane;
        if (trace.lanes[lane].kind == LaneKind::samples) visit(reader.read(lane));
        next = std::ranges::lower_bound(next, slices.end(), SliceRef{lane + 1, 0});
    }
}

void for_each_sampled_slice(
    const SampledLane& lane,
    const std::function<void(const SampledSlice&, const std::vector<const SampledSlice*>&)>&
        visit) {
    struct Open {
        uint32_t index;
        bool counts;
    };
    std::vector<Open> open;
    std::vector<const SampledSlice*> stack;
    for (const uint32_t i : lane.tree.order) {
        while (!open.empty() && open.back().index != lane.tree.parent[i]) {
            if (open.back().counts) stack.pop_back();
            open.pop_back();
        }
        const SampledSlice& call = lane.calls[i];
        open.push_back({i, static_cast<bool>(call.slice)});
        if (!call.slice) continue;
        visit(call, stack);
        stack.push_back(&call);
    }
}

}  // namespace lanescope
