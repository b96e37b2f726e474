#include "core/analysis/torch_events.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/analysis/lane_view.h"
#include "core/analysis/torch_memory.h"
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

using Events = std::vector<TorchEvent>;

// The kind of row that a category's events make, or nothing.
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

bool starts_before(const TorchEvent& a, const TorchEvent& b) {
    return std::tuple(a.start, -a.duration, a.source) < std::tuple(b.start, -b.duration, b.source);
}

class EventMaker {
  public:
    explicit EventMaker(const TraceContext& context)
        : context_(context), trace_(context.trace()), memory_(trace_) {
        for (const Category& category : trace_.categories) {
            const std::string_view name = trace_.strings[category.name];
            rules_.push_back({row_of_category(name, category.event_class), category.event_class});
        }
        buffer_request_ = trace_.strings.find("Activity Buffer Request");
        python_in_tree_ = python_stands_in_tree(trace_);
        names_.resize(trace_.strings.size());
        for (StringId id = 0; id < names_.size(); ++id) {
            const std::string_view name = trace_.strings[id];
            names_[id] = id;
            if (name.starts_with("ProfilerStep#")) names_[id] = folded_step_name(trace_);
        }
        for (const std::string_view name : kSkipped)
            if (const StringId id = trace_.strings.find(name); id != StringPool::none)
                names_[id] = StringPool::none;
        sum_device_times();
        move_overheads();
    }

    Events events_of(LaneId lane) const {
        Events events = taken_from(lane);
        if (const auto moved = moved_to_.find(lane); moved != moved_to_.end())
            events.insert(events.end(), moved->second.begin(), moved->second.end());
        if (!std::is_sorted(events.begin(), events.end(), starts_before))
            std::sort(events.begin(), events.end(), starts_before);
        link_parents(events);
        give_device_times(lane, events);
        give_memory(lane, events);
        merge_same_names(events);
        add_up(events);
        return events;
    }

  private:
    bool is_gpu_lane(LaneId lane) const { return trace_.lanes[lane].kind == LaneKind::stream; }

    TorchEvent event_at(LaneId lane, const LaneView& view, uint32_t i, TorchRow row) const {
        TorchEvent event;
        const auto [chunk, local] = trace_.lanes[lane].locate(i);
        event.slice = {lane, i};
        event.start = chunk->start[local];
        event.duration = chunk->duration[local];
        event.source = chunk->source.empty() ? i : chunk->source[local];
        event.name = names_[view.name(i)];
        event.kind = row;
        return event;
    }

    Events taken_from(LaneId lane) const {
        const LaneView view(trace_.lanes[lane]);
        Events events;
        events.reserve(view.size());
        const auto take = [&](uint32_t i) {
            const CategoryRule& rule = rules_[view.category(i)];
            if (!rule.row || names_[view.name(i)] == StringPool::none) return;
            if (rule.base == EventClass::overhead && moved_lanes_.count(lane) > 0 &&
                moved_slices_.count({lane, i}) > 0)
                return;
            if (*rule.row == TorchRow::python && !python_in_tree_) return;
            events.push_back(event_at(lane, view, i, *rule.row));
        };
        if (const CallTree& tree = context_.call_trees()[lane]; !tree.parent.empty())
            for (const uint32_t i : preorder(tree)) take(i);
        else
            for (uint32_t i = 0; i < view.size(); ++i) take(i);
        return events;
    }

    static bool in_tree(const TorchEvent& event) {
        return event.kind != TorchRow::device && event.kind != TorchRow::device_annotation;
    }

    // A child lies in its parent whole; one that overlaps only in part has no parent.
    static void link_parents(Events& events) {
        std::vector<uint32_t> open;
        std::vector<uint32_t> last_child(events.size(), TorchEvent::none);
        for (uint32_t i = 0; i < events.size(); ++i) {
            TorchEvent& event = events[i];
            if (!in_tree(event)) continue;
            const Nanos end = event.start + event.duration;
            while (!open.empty()) {
                const TorchEvent& top = events[open.back()];
                const Nanos top_end = top.start + top.duration;
                if (event.start < top_end && end <= top_end) break;
                open.pop_back();
            }
            if (!open.empty()) {
                const uint32_t p = open.back();
                event.parent = p;
                ++events[p].child_count;
                if (last_child[p] == TorchEvent::none)
                    events[p].first_child = i;
                else
                    events[last_child[p]].next_sibling = i;
                last_child[p] = i;
            }
            open.push_back(i);
        }
    }

    static uint64_t id_key(uint32_t process, int64_t id) {
        return static_cast<uint64_t>(id) * 4096 + process;
    }

    void sum_device_times() {
        const GpuActivities& gpu = trace_.gpu_activities;
        const Attribution& attribution = context_.attribution();
        by_launch_.resize(trace_.lanes.size());
        for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
            const Nanos duration = trace_.duration(gpu.slice[row]);
            const SliceRef owner =
                attribution.launch[row] ? attribution.launch[row] : attribution.op_of_id[row];
            if (owner && !gpu.external_id.empty() && gpu.external_id[row] != kNoValue &&
                gpu.external_id[row] > 0)
                by_id_[id_key(trace_.lanes[owner.lane].process, gpu.external_id[row])] += duration;
            if (const SliceRef op = attribution.op[row]) {
                auto& lane = by_launch_[op.lane];
                if (lane.empty()) lane.resize(trace_.lanes[op.lane].slice_count);
                lane[op.index] += duration;
            }
        }
    }

    // Overhead is written to a lane of its own; torch hangs it where it happened.
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
                moved_to_[*home].push_back(event_at(lane, view, i, TorchRow::cpu));
                moved_slices_.insert({lane, i});
                moved_lanes_.insert(lane);
            }
        }
    }

    static bool has_rows(std::span<const SliceRef> slices, LaneId lane) {
        const auto first = std::lower_bound(slices.begin(), slices.end(), SliceRef{lane, 0});
        return first != slices.end() && first->lane == lane;
    }

    Nanos of_id(uint32_t process, int64_t id) const {
        const auto found = by_id_.find(id_key(process, id));
        return found == by_id_.end() ? 0 : found->second;
    }

    // Rows of a side table by the index of their slice in the lane.
    std::vector<uint32_t> rows_by_index(std::span<const SliceRef> slices, LaneId lane) const {
        std::vector<uint32_t> rows;
        const auto begin = std::lower_bound(slices.begin(), slices.end(), SliceRef{lane, 0});
        const auto end = std::lower_bound(begin, slices.end(), SliceRef{lane + 1, 0});
        if (begin != end) rows.assign(trace_.lanes[lane].slice_count, TorchEvent::none);
        for (auto slice = begin; slice != end; ++slice)
            rows[slice->index] = static_cast<uint32_t>(slice - slices.begin());
        return rows;
    }

    const CategoryRule& rule_of(const TorchEvent& event) const {
        const auto [chunk, local] = trace_.lanes[event.slice.lane].locate(event.slice.index);
        return rules_[chunk->category[local]];
    }

    void give_device_times(LaneId lane, Events& events) const {
        const Operators& ops = trace_.operators;
        const RuntimeCalls& calls = trace_.runtime_calls;
        const std::vector<uint32_t> op_rows = rows_by_index(ops.slice, lane);
        const std::vector<uint32_t> call_rows = rows_by_index(calls.slice, lane);
        const uint32_t process = trace_.lanes[lane].process;
        std::vector<uint32_t> event_of;
        const auto& launched = by_launch_[lane];
        if (!launched.empty()) event_of.assign(launched.size(), TorchEvent::none);
        for (uint32_t i = 0; i < events.size(); ++i) {
            TorchEvent& event = events[i];
            if (event.slice.lane != lane) {
                give_overhead(process, events, i);
                continue;
            }
            const uint32_t index = event.slice.index;
            if (!op_rows.empty()) event.operator_row = op_rows[index];
            if (!event_of.empty()) event_of[index] = i;
            if (by_id_.empty()) continue;
            if (event.operator_row != TorchEvent::none && !ops.external_id.empty()) {
                const int64_t id = ops.external_id[event.operator_row];
                if (id > 0) event.device_self = of_id(process, id);
            } else if (!call_rows.empty() && call_rows[index] != TorchEvent::none) {
                event.device_self = claimed_by_call(process, call_rows[index]);
            }
        }
        const auto& parent = context_.call_trees()[lane].parent;
        for (uint32_t index = 0; index < launched.size(); ++index) {
            if (launched[index] == 0) continue;
            uint32_t i = index;
            while (event_of[i] == TorchEvent::none && parent[i] != CallTree::none) i = parent[i];
            if (event_of[i] != TorchEvent::none)
                events[event_of[i]].by_launch_self += launched[index];
        }
    }

    // torch matches ids without asking of what: a call outside any operator takes the kernels of
    // the operator whose External id its correlation happens to equal.
    Nanos claimed_by_call(uint32_t process, uint32_t row) const {
        const RuntimeCalls& calls = trace_.runtime_calls;
        const auto known = [row](const Column<int64_t>& column) {
            return !column.empty() && column[row] != kNoValue && column[row] > 0;
        };
        if (known(calls.external_id) || !known(calls.correlation)) return 0;
        return of_id(process, calls.correlation[row]);
    }

    // Overhead inside a call carries the id of the operator around, and takes its kernels a second
    // time; so does a request for a buffer. Any other stands in a call that the file lacks, and
    // carries none.
    void give_overhead(uint32_t process, Events& events, uint32_t i) const {
        TorchEvent& event = events[i];
        if (event.parent == TorchEvent::none) return;
        if (rule_of(events[event.parent]).base != EventClass::runtime &&
            event.name != buffer_request_)
            return;
        const Column<int64_t>& ids = trace_.operators.external_id;
        for (uint32_t p = event.parent; p != TorchEvent::none; p = events[p].parent) {
            const uint32_t row = events[p].operator_row;
            if (row == TorchEvent::none || rule_of(events[p]).base != EventClass::op) continue;
            if (!ids.empty() && ids[row] != kNoValue && ids[row] > 0)
                event.device_self = of_id(process, ids[row]);
            return;
        }
    }

    void give_memory(LaneId lane, Events& events) const {
        if (memory_.empty()) return;
        for (TorchEvent& event : events) {
            if (!in_tree(event)) continue;
            const auto bytes = memory_.between(trace_.lanes[lane].process, event.start,
                                               event.start + event.duration);
            event.memory[0] = bytes[0];
            event.memory[1] = bytes[1];
        }
    }

    // An only child with its parent's name is one call with it: torch's _remove_dup_nodes().
    static void merge_same_names(Events& events) {
        bool again = true;
        while (again) {
            again = false;
            for (TorchEvent& event : events) {
                if (event.merged || event.parent == TorchEvent::none) continue;
                TorchEvent& parent = events[event.parent];
                if (parent.name != event.name || parent.child_count != 1) continue;
                parent.first_child = event.first_child;
                parent.child_count = event.child_count;
                parent.device_self = event.device_self;
                parent.by_launch_self += event.by_launch_self;
                for (uint32_t c = event.first_child; c != TorchEvent::none;
                     c = events[c].next_sibling)
                    events[c].parent = event.parent;
                event.merged = true;
                again = true;
            }
        }
    }

    static void add_up(Events& events) {
        for (auto event = events.rbegin(); event != events.rend(); ++event) {
            if (event->merged) continue;
            event->device_total += event->device_self;
            event->by_launch_total += event->by_launch_self;
            if (event->parent == TorchEvent::none) continue;
            TorchEvent& parent = events[event->parent];
            parent.child_duration += event->duration;
            parent.device_total += event->device_total;
            parent.by_launch_total += event->by_launch_total;
            for (const int i : {0, 1}) parent.child_memory[i] += event->memory[i];
        }
    }

    const TraceContext& context_;
    const Trace& trace_;
    MemorySums memory_;
    std::vector<CategoryRule> rules_;
    std::vector<StringId> names_;  // by StringId; none: skipped
    bool python_in_tree_ = false;
    StringId buffer_request_ = StringPool::none;
    std::unordered_map<uint64_t, Nanos> by_id_;
    std::vector<std::vector<Nanos>> by_launch_;  // by lane and index of the operator
    std::map<LaneId, Events> moved_to_;
    std::set<SliceRef> moved_slices_;
    std::set<LaneId> moved_lanes_;
};

}  // namespace

bool python_stands_in_tree(const Trace& trace) {
    return std::any_of(trace.metadata.begin(), trace.metadata.end(),
                       [](const auto& entry) { return entry.first == "host_name"; });
}

void visit_torch_events(const TraceContext& context,
                        const std::function<void(std::vector<TorchEvent>&)>& visit) {
    const EventMaker maker(context);
    for (LaneId lane = 0; lane < context.trace().lanes.size(); ++lane) {
        const LaneKind kind = context.trace().lanes[lane].kind;
        if (kind != LaneKind::thread && kind != LaneKind::stream) continue;
        Events events = maker.events_of(lane);
        if (!events.empty()) visit(events);
    }
}

}  // namespace lanescope
