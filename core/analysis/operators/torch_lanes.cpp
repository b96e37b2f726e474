#include "core/analysis/operators/torch_lanes.h"

#include <algorithm>
#include <array>

#include "core/analysis/structure/lane_view.h"

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

bool has_rows(std::span<const SliceRef> slices, LaneId lane) {
    const auto first = std::lower_bound(slices.begin(), slices.end(), SliceRef{lane, 0});
    return first != slices.end() && first->lane == lane;
}

}  // namespace

TorchEvents::Lanes::Lanes(const Trace& trace, std::span<const CallTree> trees,
                          const Attribution& attribution)
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
    if (moved_to_.empty()) by_id_.clear();  // from here on only overhead needs it
}

Column<TorchEvent> TorchEvents::Lanes::events_of(LaneId id) const {
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
                   *rules_[chunk->category[local]].row,
                   lane.kind == LaneKind::replay};
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

void TorchEvents::Lanes::sort(Column<TorchEvent>& events) const {
    TorchEvent* const first = events.data();
    const auto before = [this](const TorchEvent& x, const TorchEvent& y) {
        return starts_before(x, y);
    };
    if (!std::is_sorted(first, first + events.size(), before))
        std::sort(first, first + events.size(), before);
}

void TorchEvents::Lanes::move_overheads() {
    std::vector<LaneId> with_calls;
    for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane) {
        const bool has_ops =
            has_rows(trace_.operators.slice, lane) || has_rows(trace_.runtime_calls.slice, lane);
        if (has_ops && !trace_.lanes[lane].derived) with_calls.push_back(lane);
    }
    for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane) {
        if (is_gpu_lane(lane) || trace_.lanes[lane].derived ||
            std::binary_search(with_calls.begin(), with_calls.end(), lane))
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

TorchEvents::Lanes::DeviceTimes& TorchEvents::Lanes::times_of(SliceRef slice) {
    Column<uint32_t>& lane = times_at_[slice.lane];
    if (lane.empty()) lane = Column<uint32_t>::filled(trace_.lanes[slice.lane].slice_count, kNoRow);
    uint32_t& at = lane[slice.index];
    if (at == kNoRow) {
        at = static_cast<uint32_t>(times_.size());
        times_.emplace_back();
    }
    return times_[at];
}

void TorchEvents::Lanes::sum_by_launch(const Attribution& attribution) {
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

void TorchEvents::Lanes::sum_by_id(const Attribution& attribution) {
    const GpuActivities& gpu = trace_.gpu_activities;
    if (gpu.external_id.empty()) return;
    std::vector<bool> is_made(trace_.processes.size());
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const int64_t id = gpu.external_id[row];
        const SliceRef owner =
            attribution.launch[row] ? attribution.launch[row] : attribution.op_of_id[row];
        if (!owner || id <= 0) continue;  // includes kNoValue
        const uint32_t process = trace_.lanes[owner.lane].process;
        by_id_.resize(trace_.processes.size());
        if (!is_made[process]) by_id_[process] = IdMap<Nanos>(gpu.external_id, 0);
        is_made[process] = true;
        by_id_[process].at(id) += trace_.duration(gpu.slice[row]);
    }
}

void TorchEvents::Lanes::give_times_by_id() {
    const Operators& ops = trace_.operators;
    const RuntimeCalls& calls = trace_.runtime_calls;
    const auto give = [this](SliceRef slice, int64_t id) {
        if (id <= 0) return;  // includes kNoValue
        const Nanos time = of_id(trace_.lanes[slice.lane].process, id);
        if (time != 0) times_of(slice).self = time;
    };
    for (uint32_t row = 0; row < calls.slice.size() && !calls.correlation.empty(); ++row)
        if (calls.external_id.empty() || calls.external_id[row] <= 0)
            give(calls.slice[row], calls.correlation[row]);
    for (uint32_t row = 0; row < ops.slice.size() && !ops.external_id.empty(); ++row)
        give(ops.slice[row], ops.external_id[row]);
}

bool python_is_in_tree(const Trace& trace) {
    return std::any_of(trace.metadata.begin(), trace.metadata.end(),
                       [](const auto& entry) { return entry.first == "host_name"; });
}

}  // namespace lanescope
