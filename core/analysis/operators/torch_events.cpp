// Walks the trees of torch's events, and sums what each event's descendants took.
#include <algorithm>
#include <thread>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/operators/torch_lanes.h"
#include "core/base/parallel.h"

namespace lanescope {

namespace {

bool in_tree(const TorchEvent& event) {
    return event.kind != TorchRow::device && event.kind != TorchRow::device_annotation;
}

}  // namespace

// Opens the events of a lane in order of start, and closes each when no later event lies in it.
class TorchEvents::Lanes::TreeWalk {
  public:
    TreeWalk(const Lanes& lanes, LaneId lane, Visitor visitor)
        : lanes_(lanes),
          lane_(lane),
          process_(lanes.trace_.lanes[lane].process),
          events_(lanes.events_of(lane)),
          visitor_(visitor) {}

    void run() {
        for (uint32_t place = 0; place < events_.size(); ++place) {
            const TorchEvent& event = events_[place];
            if (!in_tree(event)) {
                visitor_.visit(visitor_.to, event, place, nullptr);
                continue;
            }
            // A child lies completely in its parent; an event that overlaps only partly has no
            // parent.
            const Nanos end = event.start + event.duration;
            while (depth_ > 0 && (event.start >= top().end || end > top().end)) close();
            open(place, end);
        }
        while (depth_ > 0) close();
    }

  private:
    struct Open {
        uint32_t place = 0;
        uint8_t children = 0;     // the number of children, up to 2
        bool only_child = false;  // it has one closed child of the same name, stored after it
        bool any = false;         // whether there are sums
        Nanos end = 0;
        TorchSums sums;
    };

    Open& top() { return *top_; }
    const TorchEvent& event_of(const Open& event) const { return events_[event.place]; }

    void open(uint32_t place, Nanos end) {
        if (depth_ > 0) {
            if (top().only_child) count_only_child(top());
            if (top().children < 2) ++top().children;
        }
        if (depth_ == open_.size()) open_.emplace_back();
        top_ = &open_[depth_++];
        Open& next = *top_;
        next = {};
        next.place = place;
        next.end = end;
        give_times(next);
        give_memory(next);
    }

    void give_times(Open& to) const {
        const SliceRef slice = event_of(to).slice;
        if (slice.lane != lane_) {
            give_overhead(to);
            return;
        }
        const Column<uint32_t>& times = lanes_.times_at_[lane_];
        if (times.empty() || times[slice.index] == kNoRow) return;
        const DeviceTimes& times_of_slice = lanes_.times_[times[slice.index]];
        to.sums.device_self = times_of_slice.self;
        to.sums.by_launch_self = times_of_slice.by_launch_self;
        to.any = true;
    }

    // Overhead inside a call carries the id of the enclosing operator, and takes its kernels a
    // second time; so does a buffer request. Other overhead is inside a call that the file lacks,
    // and has no id.
    void give_overhead(Open& to) const {
        if (depth_ < 2) return;
        const auto rule = [this](std::size_t depth) {
            return lanes_.rule_of(event_of(open_[depth]).slice);
        };
        const std::size_t parent = depth_ - 2;
        if (rule(parent).base != EventClass::runtime && event_of(to).name != lanes_.buffer_request_)
            return;
        const Operators& ops = lanes_.trace_.operators;
        for (std::size_t depth = parent + 1; depth-- > 0;) {
            const SliceRef around = event_of(open_[depth]).slice;
            const uint32_t row = around.lane == lane_ ? find_row(ops.slice, around) : kNoRow;
            if (row == kNoRow || rule(depth).base != EventClass::op) continue;
            if (ops.external_id.empty() || ops.external_id[row] <= 0) return;
            to.sums.device_self = lanes_.of_id(process_, ops.external_id[row]);
            to.any = true;
            return;
        }
    }

    void give_memory(Open& to) {
        if (lanes_.memory_.empty() || event_of(to).replayed) return;
        const auto bytes = lanes_.memory_.between(process_, event_of(to).start, to.end, memory_at_);
        if (bytes[0] == 0 && bytes[1] == 0) return;
        to.sums.memory[0] = bytes[0];
        to.sums.memory[1] = bytes[1];
        to.any = true;
    }

    // An only child with its parent's name is merged with it: torch's _remove_dup_nodes().
    void close() {
        Open& closed = top();
        if (closed.only_child) merge_only_child(closed);
        --depth_;
        --top_;
        if (depth_ > 0 && top().children == 1 && event_of(top()).name == event_of(closed).name)
            top().only_child = true;
        else
            count(closed);
    }

    void merge_only_child(Open& closed) {
        const Open& child = open_[depth_];
        if (!child.any && !closed.any) return;
        const TorchSums own = closed.sums;
        closed.sums = child.sums;
        closed.sums.by_launch_self += own.by_launch_self;
        std::ranges::copy(own.memory, closed.sums.memory);
        closed.any = true;
    }

    // It has siblings, so it is not merged with its parent.
    void count_only_child(Open& parent) {
        parent.only_child = false;
        count(open_[depth_]);
    }

    // Counts an event whose parent, if any, is on top.
    void count(Open& closed) {
        TorchSums& own = closed.sums;
        own.device_total += own.device_self;
        own.by_launch_total += own.by_launch_self;
        const TorchEvent& event = event_of(closed);
        if (depth_ > 0) {
            TorchSums& above = top().sums;
            top().any = true;
            above.child_duration += event.duration;
            above.device_total += own.device_total;
            above.by_launch_total += own.by_launch_total;
            for (const int k : {0, 1}) above.child_memory[k] += own.memory[k];
        }
        if (event.kind != TorchRow::python)
            visitor_.visit(visitor_.to, event, closed.place, closed.any ? &closed.sums : nullptr);
    }

    const Lanes& lanes_;
    LaneId lane_;
    uint32_t process_;
    Column<TorchEvent> events_;
    Visitor visitor_;
    std::vector<Open> open_;  // the first depth_ are open; an only child may follow
    std::size_t depth_ = 0;
    Open* top_ = nullptr;  // the last open event, if there is one
    std::size_t memory_at_ = 0;
};

void TorchEvents::Lanes::walk(LaneId lane, Visitor visitor) const {
    const LaneKind kind = trace_.lanes[lane].kind;
    if (kind == LaneKind::thread || kind == LaneKind::stream || kind == LaneKind::replay)
        TreeWalk(*this, lane, visitor).run();
}

TorchEvents::Lanes::Kept TorchEvents::Lanes::keep(LaneId lane) const {
    Kept kept;
    kept.events.reserve(trace_.lanes[lane].slice_count);
    const auto add = [&kept](const TorchEvent& event, uint32_t place, const TorchSums* sums) {
        kept.events.push_back(
            {event, place, sums ? static_cast<uint32_t>(kept.sums.size()) : kNoRow});
        if (sums) kept.sums.push_back(*sums);
    };
    walk(lane, Visitor::calling(add));
    kept.events.shrink_to_fit();
    return kept;
}

void TorchEvents::Lanes::walk_kept(LaneId lane, Visitor visitor) const {
    std::call_once(kept_once_, [this] {
        kept_.resize(trace_.lanes.size());
        const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
        parallel_for(workers, kept_.size(),
                     [this](std::size_t i) { kept_[i] = keep(static_cast<LaneId>(i)); });
    });
    const Kept& kept = kept_[lane];
    for (const Kept::Event& kept_event : kept.events)
        visitor.visit(visitor.to, kept_event.event, kept_event.place,
                      kept_event.sums == kNoRow ? nullptr : &kept.sums[kept_event.sums]);
}

TorchEvents::TorchEvents(const Trace& trace, std::span<const CallTree> trees,
                         const Attribution& attribution)
    : lanes_(std::make_unique<const Lanes>(trace, trees, attribution)) {}

TorchEvents::TorchEvents(TorchEvents&&) noexcept = default;
TorchEvents& TorchEvents::operator=(TorchEvents&&) noexcept = default;
TorchEvents::~TorchEvents() = default;

void TorchEvents::walk(LaneId lane, Visitor visitor) const {
    lanes_->walk(lane, visitor);
}

void TorchEvents::walk_kept(LaneId lane, Visitor visitor) const {
    lanes_->walk_kept(lane, visitor);
}

TorchEvents TorchEvents::compute(const TraceContext& context) {
    return {context.trace(), context.get<CallTrees>().by_lane, context.get<Attribution>()};
}

}  // namespace lanescope
