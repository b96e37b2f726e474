// Sampled stacks: a slice of a lane of samples stands for the samples taken while it ran.
#include <algorithm>
#include <cmath>

#include "core/analysis/flame/flame_sources.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lane_view.h"

namespace lanescope {

namespace {

class SampleAdder {
  public:
    SampleAdder(const Trace& trace, const FlameQuery& query, SampleKind kind, FlameBuilder& builder)
        : trace_(trace), query_(query), builder_(builder) {
        for (const Category& category : trace.categories)
            is_shown_.push_back(sample_kind(trace.strings[category.name]) == kind);
    }

    void add_all() {
        const auto rows = trace_.sampled_calls.slice.span();
        std::vector<LaneId> lanes;
        for (const SliceRef& slice : rows)
            if ((lanes.empty() || lanes.back() != slice.lane) &&
                trace_.lanes[slice.lane].kind == LaneKind::samples &&
                uses_lane(trace_, query_, slice.lane) && has_shown(slice.lane))
                lanes.push_back(slice.lane);
        for (const LaneId lane : lanes) {
            const bool named = query_.order == FlameOrder::time && lanes.size() > 1;
            add_lane(lane, named ? lane_node(lane) : FlameBuilder::kRoot);
        }
    }

  private:
    bool has_shown(LaneId lane) const {
        for (const auto& chunk : trace_.lanes[lane].chunks)
            for (const CategoryId category : chunk->category)
                if (is_shown_[category]) return true;
        return false;
    }

    uint32_t lane_node(LaneId lane) {
        const Lane& row = trace_.lanes[lane];
        const uint32_t frame =
            builder_.frame({row.name, row.tid, EventClass::other, FlameFrame::Kind::lane});
        return builder_.enter(FlameBuilder::kRoot, frame, {}, 0, 0);
    }

    // The weight of a slice and its callees in the range: in proportion to its time in the range.
    int64_t weight_of(SliceRef slice, uint32_t row) const {
        const SampledCalls& calls = trace_.sampled_calls;
        const Nanos begin = trace_.start(slice);
        const Nanos end = trace_.slice_end(slice);
        const std::optional<Nanos> part = part_in_range(query_, begin, end);
        if (!part) return 0;
        int64_t weight = calls.samples[row];
        if (query_.weight == FlameWeight::time) {
            const Nanos cpu_time = calls.cpu_time[row];
            weight = cpu_time == kNoValue ? end - begin : cpu_time;
        }
        if (*part == end - begin) return weight;
        return std::llround(static_cast<double>(weight) * static_cast<double>(*part) /
                            static_cast<double>(end - begin));
    }

    void add_lane(LaneId lane, uint32_t below) {
        const CallTree tree = build_call_tree(trace_.lanes[lane]);
        const LaneView view(trace_.lanes[lane]);
        const auto count = static_cast<uint32_t>(tree.parent.size());
        std::vector<int64_t> self(count, 0);
        std::vector<uint32_t> row_of(count, kNoRow);
        for (uint32_t i = 0; i < count; ++i) {
            if (!is_shown_[view.category(i)]) continue;
            row_of[i] = find_row(trace_.sampled_calls.slice.span(), {lane, i});
            if (row_of[i] == kNoRow) continue;
            const int64_t weight = weight_of({lane, i}, row_of[i]);
            self[i] += weight;
            if (tree.parent[i] != CallTree::none) self[tree.parent[i]] -= weight;
        }
        struct Open {
            uint32_t slice, node;
        };
        std::vector<Open> stack;
        const auto leave = [&] {
            // Rounding at the end of the range can make callees slightly heavier than their caller.
            builder_.add(stack.back().node, std::max<int64_t>(self[stack.back().slice], 0));
            stack.pop_back();
        };
        for (const uint32_t i : tree.order) {
            while (!stack.empty() && stack.back().slice != tree.parent[i]) leave();
            const SliceRef slice{lane, i};
            const bool inside = !query_.within || query_.within == slice || !stack.empty();
            const Nanos begin = trace_.start(slice);
            const Nanos end = trace_.slice_end(slice);
            if (row_of[i] == kNoRow || !inside || !part_in_range(query_, begin, end)) continue;
            const uint32_t frame =
                builder_.frame({trace_.name_id(slice), trace_.sampled_calls.module[row_of[i]],
                                trace_.event_class(slice), FlameFrame::Kind::call});
            const uint32_t parent = stack.empty() ? below : stack.back().node;
            stack.push_back({i, builder_.enter(parent, frame, slice, end - begin)});
        }
        while (!stack.empty()) leave();
    }

    const Trace& trace_;
    const FlameQuery& query_;
    FlameBuilder& builder_;
    std::vector<bool> is_shown_;  // by category
};

}  // namespace

void add_samples(const TraceContext& context, const FlameQuery& query, SampleKind kind,
                 FlameBuilder& builder) {
    SampleAdder(context.trace(), query, kind, builder).add_all();
}

}  // namespace lanescope
