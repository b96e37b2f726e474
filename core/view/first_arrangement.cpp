#include "core/view/first_arrangement.h"

#include <algorithm>
#include <array>

#include "core/trace/derived_lanes.h"

namespace lanescope {

namespace {

// More streams than these on all devices together would fill the timeline.
constexpr std::size_t kMaxOpenStreams = 3;
// A thread is sparse if another one of its process has this many times as many slices.
constexpr uint64_t kSparse = 100;

// Calls that describe the program and the GPU work that it launches.
bool is_telling(EventClass kind) {
    switch (kind) {
        case EventClass::annotation:
        case EventClass::op:
        case EventClass::runtime:
        case EventClass::communication:
        case EventClass::sync:
            return true;
        default:
            return false;
    }
}

bool has_class(const Trace& trace, bool (*wanted)(EventClass)) {
    return std::ranges::any_of(trace.categories,
                               [&](const Category& c) { return wanted(c.event_class); });
}

bool is_quiet(const Trace& trace, const Lane& lane) {
    if (lane.kind != LaneKind::thread) return false;
    // PyTorch's profiler puts the frames of unknown threads into a GPU's process. There, frames of
    // modules do not make a lane telling.
    const bool modules_tell = !trace.processes[lane.process].is_gpu;
    for (const auto& chunk : lane.chunks)
        for (uint32_t i = 0; i < chunk->size(); ++i) {
            const EventClass kind = trace.event_class(chunk->name[i], chunk->category[i]);
            if (is_telling(kind) || (modules_tell && kind == EventClass::module)) return false;
        }
    return true;
}

// Processes that do not exist: a profiler invents them for its own events.
bool is_artefact(const Trace& trace, const LaneGroup& group) {
    const Process& process = trace.processes[group.process];
    return process.is_profilers_own ||
           (trace.strings[process.pid].empty() && trace.strings[process.name].empty());
}

struct GpuLanes {
    std::vector<LaneId> streams;  // with work, and the captured calls above them
    std::vector<LaneId> queues;   // of these streams
    LaneId main_queue = 0;        // that of the stream with most work
};

GpuLanes lanes_of_gpu(const Trace& trace, const LaneGroup& group,
                      const std::vector<uint32_t>& work) {
    GpuLanes device;
    uint32_t most = 0;
    for (const LaneId id : group.lanes) {
        const Lane& lane = trace.lanes[id];
        if (lane.kind == LaneKind::replay) {
            device.streams.push_back(id);
        } else if (lane.derived) {
            const Lane* const stream = origin_of(trace, lane);
            const uint32_t launched =
                stream ? work[static_cast<std::size_t>(stream - trace.lanes.data())] : 0;
            if (launched == 0) continue;
            device.queues.push_back(id);
            if (launched <= most) continue;
            most = launched;
            device.main_queue = id;
        } else if (work[id] > 0) {
            device.streams.push_back(id);
        }
    }
    return device;
}

void pin_devices(const Trace& trace, const std::vector<LaneGroup>& groups,
                 LaneArrangement& arrangement) {
    const std::vector<uint32_t> work = gpu_work_of_lanes(trace);
    std::size_t streams = 0;
    std::vector<std::string> keys;
    for (const LaneGroup& group : groups) {
        if (!group.is_gpu) continue;
        const GpuLanes device = lanes_of_gpu(trace, group, work);
        if (device.streams.empty()) continue;
        streams += device.streams.size();
        keys.push_back(group.key);
        for (const LaneId id : group.lanes) {
            if (std::ranges::count(device.streams, id) > 0) {
                arrangement.pinned.push_back(id);
            } else if (std::ranges::count(device.queues, id) > 0) {
                arrangement.pinned.push_back(id);
                if (id != device.main_queue) arrangement.hidden.insert(id);
            } else if (is_quiet(trace, trace.lanes[id])) {
                arrangement.hidden.insert(id);
            }
        }
    }
    if (streams <= kMaxOpenStreams) return;
    // A single GPU without anything else has all the space.
    if (groups.size() == 1 && keys.size() == 1)
        arrangement.pinned.clear();
    else
        arrangement.folded_groups.insert(keys.begin(), keys.end());
}

void quieten_threads(const Trace& trace, const std::vector<LaneGroup>& groups,
                     LaneArrangement& arrangement) {
    for (const LaneGroup& group : groups) {
        if (group.is_gpu) continue;
        bool any_telling = false;
        std::vector<LaneId> quiet;
        for (const LaneId id : group.lanes) {
            if (is_quiet(trace, trace.lanes[id]))
                quiet.push_back(id);
            else
                any_telling = true;
        }
        if (is_artefact(trace, group))
            arrangement.hidden.insert(group.lanes.begin(), group.lanes.end());
        else if (any_telling)
            arrangement.quiet.insert(quiet.begin(), quiet.end());
        else
            arrangement.folded_groups.insert(group.key);
    }
}

// Processes that only started others, such as torchrun and shells, are recorded because of their
// CPU and memory.
void fold_launchers(const Trace& trace, const std::vector<LaneGroup>& groups,
                    LaneArrangement& arrangement) {
    if (trace.facts.producer != "lanescope record") return;
    const auto has_work = [&](const LaneGroup& group) {
        return std::ranges::any_of(group.lanes, [&](LaneId id) {
            const Lane& lane = trace.lanes[id];
            return lane.kind != LaneKind::counter && (lane.slice_count > 0 || lane.instants);
        });
    };
    if (std::ranges::none_of(groups, has_work)) return;
    for (const LaneGroup& group : groups)
        if (!group.is_gpu && !has_work(group)) arrangement.folded_groups.insert(group.key);
}

// Threads with few calls follow the others of their process, so that the program's own threads are
// in view.
void put_busy_threads_first(const Trace& trace, const std::vector<LaneGroup>& groups,
                            LaneArrangement& arrangement) {
    const auto slices = [&](LaneId id) {
        return trace.lanes[id].kind == LaneKind::thread ? trace.lanes[id].slice_count : 0;
    };
    for (const LaneGroup& group : groups) {
        if (group.is_gpu) continue;
        const uint32_t most = slices(*std::ranges::max_element(group.lanes, {}, slices));
        const auto is_sparse = [&](LaneId id) {
            return trace.lanes[id].kind == LaneKind::thread && slices(id) * kSparse < most;
        };
        std::vector<LaneId> lanes = group.lanes;
        std::stable_partition(lanes.begin(), lanes.end(),
                              [&](LaneId id) { return !is_sparse(id); });
        if (lanes != group.lanes)
            arrangement.order.insert(arrangement.order.end(), lanes.begin(), lanes.end());
    }
}

}  // namespace

LaneArrangement first_arrangement(const Trace& trace) {
    LaneArrangement arrangement;
    const std::vector<LaneGroup> groups = lane_groups(trace, arrangement);
    pin_devices(trace, groups, arrangement);
    fold_launchers(trace, groups, arrangement);
    if (!has_class(trace, is_telling)) return arrangement;
    if (has_class(trace, [](EventClass kind) { return kind == EventClass::python; }))
        arrangement.filter.python = PythonShown::modules;
    quieten_threads(trace, groups, arrangement);
    put_busy_threads_first(trace, groups, arrangement);
    return arrangement;
}

std::vector<uint32_t> gpu_work_of_lanes(const Trace& trace) {
    std::vector<uint32_t> work(trace.lanes.size());
    for (const SliceRef slice : trace.gpu_activities.slice) ++work[slice.lane];
    return work;
}

}  // namespace lanescope
