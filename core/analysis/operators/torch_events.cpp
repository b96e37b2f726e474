#include "core/analysis/operators/torch_events.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/operators/torch_memory.h"
#include "core/analysis/structure/lane_view.h"
#include "core/base/flat_map.h"
#include "core/base/parallel.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

constexpr std::array<std::string_view, 8> kSkipped = {"[memory]",
                                                      "[OutOfMemory]",
                                                      "profiler::_record_function_enter",
                                                      "profiler::_record_function_enter_new",
                                                      "profiler::_record_function_exit",
                                                      "aten::is_leaf",
                                                      "aten::output_nr",
                                                      "aten::_version"};

// The kind of row for a category's events; empty if they have none.
std::optional<TorchRow> row_of_category(std::string_view name, EventClass base) {
    if (name == "gpu_user_annotation") return TorchRow::device_annotation;
    if (name == "Trace") return std::nullopt;
    switch (base) {
        case EventClass::op:
        case EventClass::runtime:
        case EventClass::overhead:
            return TorchRow::cpu;
        case EventClass::annotation:
            return TorchRow::annotation;
        case EventClass::kernel:
        case EventClass::memory:
        case EventClass::sync:
            return TorchRow::device;
        case EventClass::python:
            return TorchRow::python;
        default:
            return std::nullopt;
    }
}

struct CategoryRule {
    std::optional<TorchRow> row;
    EventClass base = EventClass::other;
};

struct DeviceTimes {
    Nanos self = 0;
    Nanos by_launch_self = 0;
};

bool in_tree(const TorchEvent& event) {
    return event.kind != TorchRow::device && event.kind != TorchRow::device_annotation;
}

}  // namespace

class TorchEvents::Lanes {
  public:
    Lanes(const Trace& trace, std::span<const CallTree> trees, const Attribution& attribution)
        : trace_(trace), trees_(trees), memory_(trace) {
        for (const Category& category : trace_.categories) {
            const std::string_view name = trace_.strings[category.name];
            rules_.push_back({row_of_category(name, category.event_class), category.event_class});
        }
        buffer_request_ = trace_.strings.find("Activity Buffer Request");
        python_in_tree_ = python_is_in_tree(trace_);
        names_.resize(trace_.strings.size());
        for (StringId id = 0; id < names_.size(); ++id) {
            const std::string_view name = trace_.strings[id];
            names_[id] = id;
            if (name.starts_with("ProfilerStep#")) names_[id] = folded_step_name(trace_);
        }
        for (const std::string_view name : kSkipped)
            if (const StringId id = trace_.strings.find(name); id != StringPool::none)
                names_[id] = StringPool::none;
        move_overheads();
        times_at_.resize(trace_.lanes.size());
        sum_by_launch(attribution);
        sum_by_id(attribution);
        if (!by_id_.empty()) give_times_by_id();
        if (moved_to_.empty()) by_id_ = FlatMap<Nanos>();  // from here on only overhead needs it
    }

    void walk(LaneId lane, Visitor visitor) const;
    void walk_kept(LaneId lane, Visitor visitor) const;

  private:
    class TreeWalk;
    // The arguments of visitors, in order.
    struct Kept {
        struct Event {
            TorchEvent event;
            uint32_t place = 0;
            uint32_t sums = kNoRow;  // kNoRow: null
        };
        Column<Event> events;
        std::vector<TorchSums> sums;
    };
    Kept keep(LaneId lane) const;

    bool is_gpu_lane(LaneId lane) const { return trace_.lanes[lane].kind == LaneKind::stream; }

    bool starts_before(const TorchEvent& a, const TorchEvent& b) const {
        if (a.start != b.start) return a.start < b.start;
        if (a.duration != b.duration) return a.duration > b.duration;
        return torch_source(trace_, a.slice) < torch_source(trace_, b.slice);
    }

    const CategoryRule& rule_of(SliceRef slice) const {
        const auto [chunk, local] = trace_.lanes[slice.lane].locate(slice.index);
        return rules_[chunk->category[local]];
    }

    TorchEvent event_at(SliceRef slice, TorchRow row) const {
        const auto [chunk, local] = trace_.lanes[slice.lane].locate(slice.index);
        return {slice, chunk->start[local], chunk->duration[local], names_[chunk->name[local]],
                row};
    }

    // Whether a slice makes an event on its own lane.
    bool makes_event(const Chunk& chunk, uint32_t local, SliceRef slice) const {
        const CategoryRule& rule = rules_[chunk.category[local]];
        if (!rule.row || names_[chunk.name[local]] == StringPool::none) return false;
        if (rule.base == EventClass::overhead && moved_slices_.count(slice) > 0) return false;
        return *rule.row != TorchRow::python || python_in_tree_;
    }

    bool makes_event(SliceRef slice) const {
        const auto [chunk, local] = trace_.lanes[slice.lane].locate(slice.index);
        return makes_event(*chunk, local, slice);
    }

    // Sorted by start, longest first.
    Column<TorchEvent> events_of(LaneId id) const {
        const Lane& lane = trace_.lanes[id];
        Column<TorchEvent> events(lane.slice_count);
        TorchEvent* next = events.data();
        const auto take = [&](uint32_t i) {
            const auto [chunk, local] = lane.locate(i);
            if (!makes_event(*chunk, local, {id, i})) return;
            *next++ = {{id, i},
                       chunk->start[local],
                       chunk->duration[local],
                       names_[chunk->name[local]],
                       *rules_[chunk->category[local]].row};
        };
        if (const CallTree& tree = trees_[id]; !tree.parent.empty())
            for (const uint32_t i : tree.order) take(i);
        else
            for (uint32_t i = 0; i < lane.slice_count; ++i) take(i);
        events.keep_first(static_cast<std::size_t>(next - events.data()));
        if (const auto moved = moved_to_.find(id); moved != moved_to_.end())
            for (const TorchEvent& event : moved->second) events.push_back(event);
        sort(events);
        return events;
    }

    void sort(Column<TorchEvent>& events) const {
        TorchEvent* const first = events.data();
        const auto before = [this](const TorchEvent& x, const TorchEvent& y) {
            return starts_before(x, y);
        };
        if (!std::is_sorted(first, first + events.size(), before))
            std::sort(first, first + events.size(), before);
    }

    // Overhead is recorded in a lane of its own; torch attaches it where it happened.
    void move_overheads() {
        std::vector<LaneId> with_calls;
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane) {
            const bool has_ops = has_rows(trace_.operators.slice, lane) ||
                                 has_rows(trace_.runtime_calls.slice, lane);
            if (has_ops) with_calls.push_back(lane);
        }
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane) {
            if (is_gpu_lane(lane) || std::binary_search(with_calls.begin(), with_calls.end(), lane))
                continue;
            const LaneView view(trace_.lanes[lane]);
            for (uint32_t i = 0; i < view.size(); ++i) {
                if (rules_[view.category(i)].base != EventClass::overhead) continue;
                const auto home =
                    std::find_if(with_calls.begin(), with_calls.end(), [&](LaneId candidate) {
                        const SliceRef around = slice_at(trace_, candidate, 0, view.start(i));
                        return around && trace_.slice_end(around) >= view.end(i);
                    });
                if (home == with_calls.end()) continue;
                moved_to_[*home].push_back(event_at({lane, i}, TorchRow::cpu));
                moved_slices_.insert({lane, i});
            }
        }
    }

    static bool has_rows(std::span<const SliceRef> slices, LaneId lane) {
        const auto first = std::lower_bound(slices.begin(), slices.end(), SliceRef{lane, 0});
        return first != slices.end() && first->lane == lane;
    }

    DeviceTimes& times_of(SliceRef slice) {
        Column<uint32_t>& lane = times_at_[slice.lane];
        if (lane.empty())
            lane = Column<uint32_t>::filled(trace_.lanes[slice.lane].slice_count, kNoRow);
        uint32_t& at = lane[slice.index];
        if (at == kNoRow) {
            at = static_cast<uint32_t>(times_.size());
            times_.emplace_back();
        }
        return times_[at];
    }

    // Work launched by an operator counts for it, or for the event around it.
    void sum_by_launch(const Attribution& attribution) {
        for (uint32_t row = 0; row < attribution.op.size(); ++row) {
            SliceRef op = attribution.op[row];
            if (!op) continue;
            const auto& parent = trees_[op.lane].parent;
            while (op.index != CallTree::none && !makes_event(op))
                op.index = parent.empty() ? CallTree::none : parent[op.index];
            if (op.index != CallTree::none)
                times_of(op).by_launch_self += trace_.duration(trace_.gpu_activities.slice[row]);
        }
    }

    static uint64_t id_key(uint32_t process, int64_t id) {
        return static_cast<uint64_t>(id) ^ uint64_t { process } << 44U;
    }

    void sum_by_id(const Attribution& attribution) {
        const GpuActivities& gpu = trace_.gpu_activities;
        if (gpu.external_id.empty()) return;
        for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
            const int64_t id = gpu.external_id[row];
            const SliceRef owner =
                attribution.launch[row] ? attribution.launch[row] : attribution.op_of_id[row];
            if (owner && id > 0)  // kNoValue is less, too
                by_id_.try_emplace(id_key(trace_.lanes[owner.lane].process, id), 0).first +=
                    trace_.duration(gpu.slice[row]);
        }
    }

    Nanos of_id(uint32_t process, int64_t id) const {
        const Nanos* const found = by_id_.find(id_key(process, id));
        return found ? *found : 0;
    }

    // torch matches ids regardless of their kind: a call outside any operator takes the kernels of
    // an operator whose External id equals the call's correlation.
    void give_times_by_id() {
        const Operators& ops = trace_.operators;
        const RuntimeCalls& calls = trace_.runtime_calls;
        const auto give = [this](SliceRef slice, int64_t id) {
            if (id <= 0) return;  // kNoValue, too
            const Nanos time = of_id(trace_.lanes[slice.lane].process, id);
            if (time != 0) times_of(slice).self = time;
        };
        for (uint32_t row = 0; row < calls.slice.size() && !calls.correlation.empty(); ++row)
            if (calls.external_id.empty() || calls.external_id[row] <= 0)
                give(calls.slice[row], calls.correlation[row]);
        for (uint32_t row = 0; row < ops.slice.size() && !ops.external_id.empty(); ++row)
            give(ops.slice[row], ops.external_id[row]);
    }

    const Trace& trace_;
    std::span<const CallTree> trees_;
    MemorySums memory_;
    std::vector<CategoryRule> rules_;
    std::vector<StringId> names_;  // by StringId; none: skipped
    bool python_in_tree_ = false;
    StringId buffer_request_ = StringPool::none;
    FlatMap<Nanos> by_id_;
    std::vector<DeviceTimes> times_;
    std::vector<Column<uint32_t>> times_at_;  // by lane and index: of times_; kNoRow: none
    std::map<LaneId, std::vector<TorchEvent>> moved_to_;
    std::set<SliceRef> moved_slices_;
    mutable std::once_flag kept_once_;
    mutable std::vector<Kept> kept_;  // by lane
};

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
        uint8_t children = 0;     // how many; 2: or more
        bool only_child = false;  // it has one closed child of the same name, stored after it
        bool any = false;         // whether there are sums
        Nanos end = 0;
        TorchSums sums;
    };

    Open& top() { return *top_; }
    const TorchEvent& event_of(const Open& of) const { return events_[of.place]; }

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
        const DeviceTimes& of = lanes_.times_[times[slice.index]];
        to.sums.device_self = of.self;
        to.sums.by_launch_self = of.by_launch_self;
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
        if (lanes_.memory_.empty()) return;
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
    Open* top_ = nullptr;  // the last of these, if there is one
    std::size_t memory_at_ = 0;
};

void TorchEvents::Lanes::walk(LaneId lane, Visitor visitor) const {
    const LaneKind kind = trace_.lanes[lane].kind;
    if (kind == LaneKind::thread || kind == LaneKind::stream) TreeWalk(*this, lane, visitor).run();
}

TorchEvents::Lanes::Kept TorchEvents::Lanes::keep(LaneId lane) const {
    Kept kept;
    kept.events.reserve(trace_.lanes[lane].slice_count);
    const auto add = [&kept](const TorchEvent& event, uint32_t place, const TorchSums* sums) {
        kept.events.push_back(
            {event, place, sums ? static_cast<uint32_t>(kept.sums.size()) : kNoRow});
        if (sums) kept.sums.push_back(*sums);
    };
    walk(lane, Visitor::of(add));
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
    for (const Kept::Event& of : kept.events)
        visitor.visit(visitor.to, of.event, of.place,
                      of.sums == kNoRow ? nullptr : &kept.sums[of.sums]);
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

bool python_is_in_tree(const Trace& trace) {
    return std::any_of(trace.metadata.begin(), trace.metadata.end(),
                       [](const auto& entry) { return entry.first == "host_name"; });
}

TorchEvents TorchEvents::compute(const TraceContext& context) {
    return {context.trace(), context.get<CallTrees>().by_lane, context.get<Attribution>()};
}

}  // namespace lanescope
