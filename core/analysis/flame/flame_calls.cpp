// Calls of CPU threads: at each time, the stack consists of the slices that run at this time.
#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "core/analysis/flame/flame_sources.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/step_finders.h"

namespace lanescope {

namespace {

struct OpenCall {
    SliceRef slice;
    Nanos begin = 0;
    Nanos end = 0;
    uint32_t frame = 0;
    uint32_t node = 0;
};

// Follows the stack of a lane through time. A call that outlives its caller stays on the stack
// without it.
class StackInTime {
  public:
    StackInTime(const FlameQuery& query, FlameBuilder& builder, uint32_t below)
        : query_(query), builder_(builder), below_(below) {}

    // Calls come in order of their begin, and of their depth if they begin together.
    void push(OpenCall call) {
        pop_until(call.begin);
        pass_to(call.begin);
        if (stack_.empty())
            nested_ = true;
        else
            nested_ = nested_ && call.end <= stack_.back().end;
        call.node = builder_.enter(top(), call.frame, call.slice, call.end - call.begin);
        stack_.push_back(call);
    }

    void finish() { pop_until(kAllTime.end); }

  private:
    uint32_t top() const { return stack_.empty() ? below_ : stack_.back().node; }

    void pop_until(Nanos t) {
        while (!stack_.empty()) {
            auto first = stack_.end() - 1;
            if (!nested_)
                for (auto call = stack_.begin(); call != stack_.end(); ++call)
                    if (call->end < first->end) first = call;
            if (first->end > t) return;
            pass_to(first->end);
            first = stack_.erase(first);
            // The calls above continue without their caller.
            for (; first != stack_.end(); ++first) {
                const uint32_t parent = first == stack_.begin() ? below_ : (first - 1)->node;
                first->node = builder_.enter(parent, first->frame, first->slice,
                                             first->end - first->begin, 0);
            }
        }
    }

    // The time from the last change of the stack belongs to the innermost call.
    void pass_to(Nanos t) {
        const Nanos since = std::exchange(last_, std::max(last_, t));
        if (stack_.empty() || t <= since) return;
        if (const auto part = part_in_range(query_, since, t))
            builder_.add(stack_.back().node, *part);
    }

    const FlameQuery& query_;
    FlameBuilder& builder_;
    uint32_t below_;  // the node of all stacks of the lane
    std::vector<OpenCall> stack_;
    bool nested_ = true;  // no call on the stack outlives the one below it
    Nanos last_ = INT64_MIN;
};

class CallAdder {
  public:
    CallAdder(const TraceContext& context, const FlameQuery& query, FlameBuilder& builder)
        : trace_(context.trace()),
          trees_(context.get<CallTrees>().by_lane),
          query_(query),
          builder_(builder),
          frames_(trace_, builder),
          profilers_(profilers_categories(trace_)),
          only_python_(query.source == FlameSource::calls && has_only_python(trace_)) {}

    Nanos add_all() {
        std::vector<LaneId> lanes;
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane)
            if (is_cpu_thread(trace_, trace_.lanes[lane]) && uses_lane(trace_, query_, lane) &&
                trace_.lanes[lane].slice_count > 0)
                lanes.push_back(lane);
        if (query_.order == FlameOrder::time) {
            std::erase_if(lanes, [&](LaneId lane) { return !has_shown(lane); });
            shortest_ = shortest_box(lanes);
        }
        const bool name_lanes = query_.order == FlameOrder::time && lanes.size() > 1;
        for (const LaneId lane : lanes)
            add_lane(lane, name_lanes ? lane_node(lane) : FlameBuilder::kRoot);
        return shortest_;
    }

  private:
    bool is_shown(const LaneView& view, uint32_t i) const {
        const StringId name = view.name(i);
        const CategoryId category = view.category(i);
        return !profilers_[category] &&
               shows_class(query_.source, trace_.event_class(name, category), only_python_) &&
               part_in_range(query_, view.start(i), view.end(i));
    }

    bool has_shown(LaneId lane) const {
        const LaneView view(trace_.lanes[lane]);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (is_shown(view, i)) return true;
        return false;
    }

    uint32_t lane_node(LaneId lane) {
        const Lane& row = trace_.lanes[lane];
        const uint32_t frame =
            builder_.frame({row.name, row.tid, EventClass::other, FlameFrame::Kind::lane});
        return builder_.enter(FlameBuilder::kRoot, frame, {}, 0, 0);
    }

    // The duration from which calls have boxes of their own, so that there are not too many.
    Nanos shortest_box(const std::vector<LaneId>& lanes) const {
        std::size_t slices = 0;
        for (const LaneId lane : lanes) slices += trace_.lanes[lane].slice_count;
        if (slices <= kMostTimedCalls) return 0;
        std::vector<Nanos> durations;
        for (const LaneId lane : lanes) {
            const LaneView view(trace_.lanes[lane]);
            for (uint32_t i = 0; i < view.size(); ++i)
                if (is_shown(view, i)) durations.push_back(view.duration(i));
        }
        if (durations.size() <= kMostTimedCalls) return 0;
        const auto last = durations.begin() + kMostTimedCalls;
        std::ranges::nth_element(durations, last, std::greater());
        return *last + 1;
    }

    static Column<uint32_t> depths_of(const LaneView& view) {
        Column<uint32_t> depths(view.size());
        for (uint32_t depth = 0; depth < view.depth_count(); ++depth)
            view.visit_row(depth, [&](uint32_t i) { depths[i] = depth; });
        return depths;
    }

    void add_lane(LaneId lane, uint32_t below) {
        const LaneView view(trace_.lanes[lane]);
        const CallTree& tree = trees_[lane];
        Column<uint32_t> sorted;
        if (!tree.nested) {
            const Column<uint32_t> depths = depths_of(view);
            sorted = tree.order.clone();
            std::ranges::sort(sorted.data(), sorted.data() + sorted.size(), {},
                              [&](uint32_t i) { return std::tuple(view.start(i), depths[i], i); });
        }
        const Column<uint32_t>& order = tree.nested ? tree.order : sorted;
        StackInTime stack(query_, builder_, below);
        Column<bool> inside;
        if (query_.within) inside = Column<bool>::filled(view.size(), false);
        for (const uint32_t i : order) {
            if (query_.within) {
                const uint32_t parent = tree.parent[i];
                inside[i] =
                    i == query_.within.index || (parent != CallTree::none && inside[parent]);
                if (!inside[i]) continue;
            }
            if (!is_shown(view, i) || view.duration(i) < shortest_) continue;
            stack.push({{lane, i},
                        view.start(i),
                        view.end(i),
                        frames_.frame_of(view.name(i), view.category(i)),
                        0});
        }
        stack.finish();
    }

    const Trace& trace_;
    const std::vector<CallTree>& trees_;
    const FlameQuery& query_;
    FlameBuilder& builder_;
    FrameFinder frames_;
    std::vector<bool> profilers_;  // by category
    bool only_python_;
    Nanos shortest_ = 0;
};

}  // namespace

Nanos add_calls(const TraceContext& context, const FlameQuery& query, FlameBuilder& builder) {
    return CallAdder(context, query, builder).add_all();
}

}  // namespace lanescope
