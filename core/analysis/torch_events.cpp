#include "core/analysis/torch_events.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <tuple>

#include "core/analysis/lane_view.h"
#include "core/analysis/torch_memory.h"
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

// The events of a lane while their trees are made.
struct Nodes {
    Column<TorchEvent> events;
    Column<TorchSums> sums;
    Column<uint32_t> parent;
    Column<uint8_t> children;  // how many; 2: or more
    Column<bool> merged;       // into its parent of the same name

    uint32_t size() const { return static_cast<uint32_t>(events.size()); }

    // An event's sums, made when there is something to add up: most events are leaves.
    TorchSums& sums_of(uint32_t i) {
        TorchEvent& event = events[i];
        if (event.sums == TorchEvent::none) {
            event.sums = static_cast<uint32_t>(sums.size());
            sums.push_back({});
        }
        return sums[event.sums];
    }
    bool has_sums(uint32_t i) const { return events[i].sums != TorchEvent::none; }
    // Itself, or what it was merged into.
    uint32_t whole(uint32_t i) const {
        while (i != TorchEvent::none && merged[i]) i = parent[i];
        return i;
    }
};

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

class EventMaker {
  public:
    EventMaker(const Trace& trace, std::span<const CallTree> trees, const Attribution& attribution)
        : trace_(trace), trees_(trees), memory_(trace) {
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
        sum_device_times(attribution);
        move_overheads();
    }

    TorchLane events_of(LaneId lane) const {
        Nodes nodes;
        nodes.events = taken_from(lane);
        if (const auto moved = moved_to_.find(lane); moved != moved_to_.end())
            for (const TorchEvent& event : moved->second) nodes.events.push_back(event);
        TorchEvent* const events = nodes.events.data();
        const auto before = [this](const TorchEvent& x, const TorchEvent& y) {
            return starts_before(x, y);
        };
        if (!std::is_sorted(events, events + nodes.size(), before))
            std::sort(events, events + nodes.size(), before);
        link_parents(nodes);
        give_device_times(lane, nodes);
        give_memory(lane, nodes);
        merge_same_names(nodes);
        add_up(nodes);
        return rows_of(std::move(nodes));
    }

  private:
    bool is_gpu_lane(LaneId lane) const { return trace_.lanes[lane].kind == LaneKind::stream; }

    // Byte offset in the file: the order of events that begin and end alike.
    uint64_t source_of(const TorchEvent& event) const {
        const auto [chunk, i] = trace_.lanes[event.slice.lane].locate(event.slice.index);
        return chunk->source.empty() ? event.slice.index : chunk->source[i];
    }

    bool starts_before(const TorchEvent& a, const TorchEvent& b) const {
        if (a.start != b.start) return a.start < b.start;
        if (a.duration != b.duration) return a.duration > b.duration;
        return source_of(a) < source_of(b);
    }

    TorchEvent event_at(LaneId lane, uint32_t i, TorchRow row) const {
        TorchEvent event;
        const auto [chunk, local] = trace_.lanes[lane].locate(i);
        event.slice = {lane, i};
        event.start = chunk->start[local];
        event.duration = chunk->duration[local];
        event.name = names_[chunk->name[local]];
        event.kind = row;
        return event;
    }

    Column<TorchEvent> taken_from(LaneId lane) const {
        const LaneView view(trace_.lanes[lane]);
        Column<TorchEvent> events;
        events.reserve(view.size());
        const bool some_moved = moved_lanes_.count(lane) > 0;
        const auto take = [&](uint32_t i) {
            const CategoryRule& rule = rules_[view.category(i)];
            if (!rule.row || names_[view.name(i)] == StringPool::none) return;
            if (rule.base == EventClass::overhead && some_moved &&
                moved_slices_.count({lane, i}) > 0)
                return;
            if (*rule.row == TorchRow::python && !python_in_tree_) return;
            events.push_back(event_at(lane, i, *rule.row));
        };
        if (const CallTree& tree = trees_[lane]; !tree.parent.empty())
            for (const uint32_t i : tree.order) take(i);
        else
            for (uint32_t i = 0; i < view.size(); ++i) take(i);
        return events;
    }

    static bool in_tree(const TorchEvent& event) {
        return event.kind != TorchRow::device && event.kind != TorchRow::device_annotation;
    }

    // A child lies in its parent whole; one that overlaps only in part has no parent.
    static void link_parents(Nodes& nodes) {
        nodes.parent = Column<uint32_t>::filled(nodes.size(), TorchEvent::none);
        nodes.children = Column<uint8_t>::filled(nodes.size(), 0);
        nodes.merged = Column<bool>::filled(nodes.size(), false);
        struct Open {
            uint32_t event;
            Nanos end;
        };
        std::vector<Open> open;
        for (uint32_t i = 0; i < nodes.size(); ++i) {
            const TorchEvent& event = nodes.events[i];
            if (!in_tree(event)) continue;
            const Nanos end = event.start + event.duration;
            while (!open.empty() && (event.start >= open.back().end || end > open.back().end))
                open.pop_back();
            if (!open.empty()) {
                const uint32_t p = open.back().event;
                nodes.parent[i] = p;
                if (nodes.children[p] < 2) ++nodes.children[p];
            }
            open.push_back({i, end});
        }
    }

    static uint64_t id_key(uint32_t process, int64_t id) {
        return static_cast<uint64_t>(id) ^ uint64_t { process } << 44U;
    }

    void sum_device_times(const Attribution& attribution) {
        const GpuActivities& gpu = trace_.gpu_activities;
        by_launch_.resize(trace_.lanes.size());
        for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
            const Nanos duration = trace_.duration(gpu.slice[row]);
            const SliceRef owner =
                attribution.launch[row] ? attribution.launch[row] : attribution.op_of_id[row];
            if (owner && !gpu.external_id.empty() && gpu.external_id[row] != kNoValue &&
                gpu.external_id[row] > 0)
                by_id_
                    .try_emplace(id_key(trace_.lanes[owner.lane].process, gpu.external_id[row]), 0)
                    .first += duration;
            if (const SliceRef op = attribution.op[row]) {
                auto& lane = by_launch_[op.lane];
                if (lane.empty())
                    lane = Column<Nanos>::filled(trace_.lanes[op.lane].slice_count, 0);
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
                moved_to_[*home].push_back(event_at(lane, i, TorchRow::cpu));
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
        const Nanos* const found = by_id_.find(id_key(process, id));
        return found ? *found : 0;
    }

    // Rows of a side table by the index of their slice in the lane.
    Column<uint32_t> rows_by_index(std::span<const SliceRef> slices, LaneId lane) const {
        Column<uint32_t> rows;
        const auto begin = std::lower_bound(slices.begin(), slices.end(), SliceRef{lane, 0});
        const auto end = std::lower_bound(begin, slices.end(), SliceRef{lane + 1, 0});
        if (begin != end)
            rows = Column<uint32_t>::filled(trace_.lanes[lane].slice_count, TorchEvent::none);
        for (auto slice = begin; slice != end; ++slice)
            rows[slice->index] = static_cast<uint32_t>(slice - slices.begin());
        return rows;
    }

    const CategoryRule& rule_of(const TorchEvent& event) const {
        const auto [chunk, local] = trace_.lanes[event.slice.lane].locate(event.slice.index);
        return rules_[chunk->category[local]];
    }

    static void give_device_time(Nodes& nodes, uint32_t i, Nanos time) {
        if (time != 0) nodes.sums_of(i).device_self = time;
    }

    void give_device_times(LaneId lane, Nodes& nodes) const {
        const Operators& ops = trace_.operators;
        const RuntimeCalls& calls = trace_.runtime_calls;
        const Column<uint32_t> op_rows = rows_by_index(ops.slice, lane);
        const Column<uint32_t> call_rows = rows_by_index(calls.slice, lane);
        const uint32_t process = trace_.lanes[lane].process;
        Column<uint32_t> event_of;
        const auto& launched = by_launch_[lane];
        if (!launched.empty())
            event_of = Column<uint32_t>::filled(launched.size(), TorchEvent::none);
        for (uint32_t i = 0; i < nodes.size(); ++i) {
            TorchEvent& event = nodes.events[i];
            if (event.slice.lane != lane) {
                give_overhead(process, nodes, i);
                continue;
            }
            const uint32_t index = event.slice.index;
            if (!op_rows.empty()) event.operator_row = op_rows[index];
            if (!event_of.empty()) event_of[index] = i;
            if (by_id_.empty()) continue;
            if (event.operator_row != TorchEvent::none && !ops.external_id.empty()) {
                const int64_t id = ops.external_id[event.operator_row];
                if (id > 0) give_device_time(nodes, i, of_id(process, id));
            } else if (!call_rows.empty() && call_rows[index] != TorchEvent::none) {
                give_device_time(nodes, i, claimed_by_call(process, call_rows[index]));
            }
        }
        const auto& parent = trees_[lane].parent;
        for (uint32_t index = 0; index < launched.size(); ++index) {
            if (launched[index] == 0) continue;
            uint32_t i = index;
            while (event_of[i] == TorchEvent::none && parent[i] != CallTree::none) i = parent[i];
            if (event_of[i] != TorchEvent::none)
                nodes.sums_of(event_of[i]).by_launch_self += launched[index];
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
    void give_overhead(uint32_t process, Nodes& nodes, uint32_t i) const {
        const TorchEvent& event = nodes.events[i];
        if (nodes.parent[i] == TorchEvent::none) return;
        if (rule_of(nodes.events[nodes.parent[i]]).base != EventClass::runtime &&
            event.name != buffer_request_)
            return;
        const Column<int64_t>& ids = trace_.operators.external_id;
        for (uint32_t p = nodes.parent[i]; p != TorchEvent::none; p = nodes.parent[p]) {
            const uint32_t row = nodes.events[p].operator_row;
            if (row == TorchEvent::none || rule_of(nodes.events[p]).base != EventClass::op)
                continue;
            if (!ids.empty() && ids[row] != kNoValue && ids[row] > 0)
                give_device_time(nodes, i, of_id(process, ids[row]));
            return;
        }
    }

    void give_memory(LaneId lane, Nodes& nodes) const {
        if (memory_.empty()) return;
        std::size_t near = 0;
        for (uint32_t i = 0; i < nodes.size(); ++i) {
            const TorchEvent& event = nodes.events[i];
            if (!in_tree(event)) continue;
            const auto bytes = memory_.between(trace_.lanes[lane].process, event.start,
                                               event.start + event.duration, near);
            if (bytes[0] == 0 && bytes[1] == 0) continue;
            TorchSums& of = nodes.sums_of(i);
            of.memory[0] = bytes[0];
            of.memory[1] = bytes[1];
        }
    }

    // An only child with its parent's name is one call with it: torch's _remove_dup_nodes(), which
    // goes over all events until none is merged. Parents stand before their children here, and a
    // merge changes what follows alone: one round finds them all.
    static void merge_same_names(Nodes& nodes) {
        for (uint32_t i = 0; i < nodes.size(); ++i) {
            const uint32_t p = nodes.whole(nodes.parent[i]);
            if (p == TorchEvent::none || nodes.children[p] != 1 ||
                nodes.events[p].name != nodes.events[i].name)
                continue;
            nodes.children[p] = nodes.children[i];
            if (nodes.has_sums(i) || nodes.has_sums(p)) {
                const TorchSums below =
                    nodes.has_sums(i) ? nodes.sums[nodes.events[i].sums] : TorchSums();
                TorchSums& above = nodes.sums_of(p);
                above.device_self = below.device_self;
                above.by_launch_self += below.by_launch_self;
            }
            nodes.merged[i] = true;
        }
    }

    static void add_up(Nodes& nodes) {
        for (uint32_t i = nodes.size(); i-- > 0;) {
            if (nodes.merged[i]) continue;
            TorchSums own;
            if (nodes.has_sums(i)) {
                TorchSums& sums = nodes.sums[nodes.events[i].sums];
                sums.device_total += sums.device_self;
                sums.by_launch_total += sums.by_launch_self;
                own = sums;
            }
            const uint32_t p = nodes.whole(nodes.parent[i]);
            if (p == TorchEvent::none) continue;
            TorchSums& above = nodes.sums_of(p);
            above.child_duration += nodes.events[i].duration;
            above.device_total += own.device_total;
            above.by_launch_total += own.by_launch_total;
            for (const int k : {0, 1}) above.child_memory[k] += own.memory[k];
        }
    }

    static TorchLane rows_of(Nodes nodes) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < nodes.size(); ++i)
            if (!nodes.merged[i] && nodes.events[i].kind != TorchRow::python)
                nodes.events[kept++] = nodes.events[i];
        TorchLane lane{std::move(nodes.events), std::move(nodes.sums)};
        lane.events.keep_first(kept);
        lane.events.shrink_to_fit();
        lane.sums.shrink_to_fit();
        return lane;
    }

    const Trace& trace_;
    std::span<const CallTree> trees_;
    MemorySums memory_;
    std::vector<CategoryRule> rules_;
    std::vector<StringId> names_;  // by StringId; none: skipped
    bool python_in_tree_ = false;
    StringId buffer_request_ = StringPool::none;
    FlatMap<Nanos> by_id_;
    std::vector<Column<Nanos>> by_launch_;  // by lane and index of the operator
    std::map<LaneId, std::vector<TorchEvent>> moved_to_;
    std::set<SliceRef> moved_slices_;
    std::set<LaneId> moved_lanes_;
};

}  // namespace

bool python_stands_in_tree(const Trace& trace) {
    return std::any_of(trace.metadata.begin(), trace.metadata.end(),
                       [](const auto& entry) { return entry.first == "host_name"; });
}

std::vector<TorchLane> torch_lanes(const Trace& trace, std::span<const CallTree> trees,
                                   const Attribution& attribution) {
    const EventMaker maker(trace, trees, attribution);
    std::vector<TorchLane> lanes(trace.lanes.size());
    const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
    parallel_for(workers, lanes.size(), [&](std::size_t lane) {
        const LaneKind kind = trace.lanes[lane].kind;
        if (kind == LaneKind::thread || kind == LaneKind::stream)
            lanes[lane] = maker.events_of(static_cast<LaneId>(lane));
    });
    return lanes;
}

}  // namespace lanescope
