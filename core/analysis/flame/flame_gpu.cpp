// GPU time by launching stack: each kernel, copy or set below the calls that ran when it was
// launched.
#include <algorithm>
#include <numeric>

#include "core/analysis/flame/flame_sources.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"

namespace lanescope {

namespace {

class GpuAdder {
  public:
    GpuAdder(const TraceContext& context, const FlameQuery& query, FlameBuilder& builder)
        : trace_(context.trace()),
          attribution_(context.get<Attribution>()),
          trees_(context.get<CallTrees>().by_lane),
          query_(query),
          builder_(builder),
          frames_(trace_, builder),
          node_of_(trace_.lanes.size()) {}

    void add_all() {
        const auto slices = trace_.gpu_activities.slice.span();
        std::vector<uint32_t> rows(slices.size());
        std::iota(rows.begin(), rows.end(), 0U);
        if (query_.order == FlameOrder::time)
            std::ranges::stable_sort(rows, {},
                                     [&](uint32_t row) { return trace_.start(slices[row]); });
        for (const uint32_t row : rows)
            if (!query_.table.work || query_.table.work->rows[row]) add(slices[row], row);
    }

  private:
    void add(SliceRef work, uint32_t row) {
        const SliceRef launch = attribution_.launch[row];
        if (!uses_lane(trace_, query_, work.lane) &&
            !(launch && uses_lane(trace_, query_, launch.lane)))
            return;
        const Nanos duration = trace_.duration(work);
        const auto part = query_.table.work
                              ? std::optional(duration)
                              : part_in_range(query_, trace_.start(work), trace_.slice_end(work));
        if (!part) return;
        stack_ = calls_to(attribution_, trees_, row);
        const bool alone = query_.within == work;
        if (query_.within && !alone && !cut_to_selection()) return;
        uint32_t node = FlameBuilder::kRoot;
        if (!alone) node = stack_.empty() ? no_launch() : enter_stack();
        node = builder_.enter(node, frame_of(work), work, duration);
        builder_.add(node, *part);
    }

    // Drops what is around the selected slice; false: the stack does not contain it.
    bool cut_to_selection() {
        const auto selected = std::ranges::find(stack_, query_.within);
        if (selected == stack_.end()) return false;
        stack_.erase(selected + 1, stack_.end());
        return true;
    }

    // Calls around many launches are entered once, unless in order of time.
    uint32_t enter_stack() {
        const bool once = query_.order == FlameOrder::heavy;
        std::size_t above = 0;  // the first of the stack that is entered already
        while (above < stack_.size() && !(once && entered(stack_[above]) != kNoRow)) ++above;
        uint32_t node = above < stack_.size() ? entered(stack_[above]) : FlameBuilder::kRoot;
        while (above-- > 0) {
            const SliceRef call = stack_[above];
            const EventClass event_class = trace_.event_class(call);
            if (shows_class(FlameSource::gpu, event_class, false))
                node = builder_.enter(node, frame_of(call), call, trace_.duration(call));
            if (once) entered(call) = node;
        }
        return node;
    }

    uint32_t& entered(SliceRef call) {
        std::vector<uint32_t>& lane = node_of_[call.lane];
        if (lane.empty()) lane.resize(trace_.lanes[call.lane].slice_count, kNoRow);
        return lane[call.index];
    }

    uint32_t no_launch() {
        const uint32_t frame =
            builder_.frame({0, 0, EventClass::other, FlameFrame::Kind::no_launch});
        return builder_.enter(FlameBuilder::kRoot, frame, {}, 0, 0);
    }

    uint32_t frame_of(SliceRef slice) {
        const auto [chunk, i] = trace_.lanes[slice.lane].locate(slice.index);
        return frames_.frame_of(chunk->name[i], chunk->category[i]);
    }

    const Trace& trace_;
    const Attribution& attribution_;
    const std::vector<CallTree>& trees_;
    const FlameQuery& query_;
    FlameBuilder& builder_;
    FrameFinder frames_;
    std::vector<SliceRef> stack_;
    std::vector<std::vector<uint32_t>> node_of_;  // by lane and slice; kNoRow: not entered
};

}  // namespace

void add_gpu_work(const TraceContext& context, const FlameQuery& query, FlameBuilder& builder) {
    GpuAdder(context, query, builder).add_all();
}

}  // namespace lanescope
