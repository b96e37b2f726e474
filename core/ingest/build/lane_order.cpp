// Determines the processes and lanes, their names and their display order.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "core/ingest/build/finish_trace.h"

namespace lanescope {

namespace {

// Below the programs that ran on it, in files that do not sort them.
constexpr int64_t kSortIndexOfDevices = 5'000'000;

// Sorts numbers by value, before other texts by letter.
std::tuple<int, int64_t, std::string_view> natural_key(std::string_view text) {
    int64_t number = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = code == std::errc() && stop == text.data() + text.size();
    return is_number ? std::tuple(0, number, std::string_view()) : std::tuple(1, int64_t{0}, text);
}

// A stable sort that computes the key of each item once, since a comparison of keys is cheap
// compared with making them.
template <typename Item, typename KeyOf>
void sort_by_key(std::vector<Item>& items, const KeyOf& key_of) {
    using Key = decltype(key_of(items.front()));
    std::vector<std::pair<Key, Item>> keyed;
    keyed.reserve(items.size());
    for (const Item& item : items) keyed.emplace_back(key_of(item), item);
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = keyed[i].second;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::string lane_name(const Trace& trace, const LaneBuild& build, const Lane& lane) {
    const std::string_view given = trimmed(trace.strings[build.name]);
    if (!given.empty()) return std::string(given);
    const std::string_view tid = trace.strings[lane.tid];
    if (lane.kind == LaneKind::stream)
        return tid.starts_with("stream") ? std::string(tid) : fmt::format("stream {}", tid);
    if (lane.kind == LaneKind::async) return tid.empty() ? "async" : std::string(tid);
    if (lane.kind == LaneKind::samples)
        return fmt::format("thread {} · {}", tid, lane.samples_python ? "Python" : "samples");
    if (build.role == LaneRole::profiler) return "overhead";
    if (build.role == LaneRole::device) {
        const int32_t device = trace.processes[lane.process].device;
        return device < 0 ? "Device" : fmt::format("Device {}", device);
    }
    if (tid.empty()) return "events";
    return std::get<0>(natural_key(tid)) == 0 ? fmt::format("thread {}", tid) : std::string(tid);
}

LaneKind kind_of(const LaneBuild& lane) {
    if (lane.kind != LaneKind::thread) return lane.kind;
    switch (lane.role) {
        case LaneRole::stream:
            return LaneKind::stream;
        case LaneRole::cpu_samples:
        case LaneRole::python_samples:
            return LaneKind::samples;
        case LaneRole::row:
            if (lane.has_gpu_activity) return LaneKind::stream;
            return lane.has_samples && !lane.has_calls ? LaneKind::samples : LaneKind::thread;
        default:
            return LaneKind::thread;
    }
}

// The kinds of content of a process.
struct Content {
    bool lanes = false;  // it, or a device that it used, has lanes
    bool device_work = false;
    bool slices = false;
    bool counters = false;
    bool profiler = false;  // the profiler's own work
};

std::vector<Content> contents_of(const BuilderState& state) {
    std::vector<Content> contents(state.processes.size());
    for (const LaneBuild& lane : state.lanes) {
        if (!lane.is_shown()) continue;
        Content& content = contents[lane.process];
        content.lanes = true;
        content.device_work |= lane.has_gpu_activity;
        content.slices |= lane.has_slices();
        content.counters |= lane.counter != nullptr;
        content.profiler |= lane.role == LaneRole::profiler;
        const uint32_t owner = state.processes[lane.process].owner;
        if (owner != kNoRow) contents[owner].lanes = true;  // of its device
    }
    return contents;
}

// The texts that stand for pids, by row of BuilderState::processes. The lanes of a device have the
// device's number; if several programs used devices, only the first program's lanes
// have it.
std::vector<StringId> pid_texts(const BuilderState& state, StringPool& strings) {
    std::vector<StringId> pids;
    std::set<StringId> used;
    const ProcessBuild* first = nullptr;  // of the devices
    for (const ProcessBuild& process : state.processes)
        if (process.device < 0) used.insert(process.pid);
    for (const ProcessBuild& process : state.processes) {
        pids.push_back(process.pid);
        if (process.device < 0) continue;
        if (!first) first = &process;
        const bool is_first = process.owner == first->owner && process.program == first->program;
        std::string pid = std::to_string(process.device);
        if (process.owner != kNoRow && !is_first)
            pid = fmt::format("GPU {} of {}", process.device,
                              strings[state.processes[process.owner].pid]);
        else if (used.contains(strings.intern(pid)))
            pid = fmt::format("GPU {}", process.device);
        pids.back() = strings.intern(pid);
        for (int i = 2; !used.insert(pids.back()).second; ++i)
            pids.back() = strings.intern(fmt::format("{} ({})", pid, i));
    }
    return pids;
}

// Adds the processes that have lanes to the trace, sorted. Returns their rows in the trace.
std::vector<uint32_t> add_processes(const BuilderState& state, Trace& trace) {
    const std::vector<Content> contents = contents_of(state);
    const std::vector<StringId> pids = pid_texts(state, trace.strings);
    std::vector<uint32_t> rows;
    for (uint32_t i = 0; i < contents.size(); ++i)
        if (contents[i].lanes) rows.push_back(i);
    const auto sort_index = [&](const ProcessBuild& process) {
        if (process.has_sort_index) return process.sort_index;
        return process.device < 0 ? 0 : kSortIndexOfDevices + process.device;
    };
    sort_by_key(rows, [&](uint32_t i) {
        const ProcessBuild& process = state.processes[i];
        const Content& content = contents[i];
        // Order: what ran first, the devices that it ran on, their counters, the profiler's own
        // marks and spans.
        const bool own = process.comes_last || content.profiler;
        const int rank = content.device_work      ? 1
                         : content.slices && !own ? 0
                         : content.counters       ? 2
                                                  : 3;
        return std::tuple(rank, sort_index(process), natural_key(trace.strings[pids[i]]),
                          trace.strings[pids[i]]);
    });
    std::vector<uint32_t> row_of(state.processes.size(), kNoRow);
    for (uint32_t row = 0; row < rows.size(); ++row) row_of[rows[row]] = row;
    for (const uint32_t i : rows) {
        const ProcessBuild& process = state.processes[i];
        const bool owned = process.owner != kNoRow;
        Process& made = trace.processes.emplace_back();
        made.pid = pids[i];
        made.name = process.name == 0 && owned ? state.processes[process.owner].name : process.name;
        if (made.name == 0 && contents[i].profiler)
            made.name = trace.strings.intern("Profiler overhead");
        made.labels = process.labels;
        made.sort_index = sort_index(process);
        made.is_gpu = contents[i].device_work;
        made.is_profilers_own = process.is_profilers_own || contents[i].profiler;
        made.device = process.device;
        made.owner = owned ? row_of[process.owner] : kNoRow;
        if (process.device >= 0 && made.labels == 0)
            made.labels = trace.strings.intern(fmt::format("GPU {}", process.device));
    }
    return row_of;
}

}  // namespace

std::vector<LaneId> order_lanes(const BuilderState& state, Trace& trace) {
    const std::vector<uint32_t> process_row = add_processes(state, trace);
    std::vector<uint32_t> lanes;
    for (uint32_t i = 0; i < state.lanes.size(); ++i)
        if (state.lanes[i].is_shown()) lanes.push_back(i);
    sort_by_key(lanes, [&](uint32_t i) {
        const LaneBuild& lane = state.lanes[i];
        const int kind = lane.kind == LaneKind::counter ? 2 : lane.kind == LaneKind::async ? 1 : 0;
        // Samples are shown below the calls of their thread.
        const int below = lane.role == LaneRole::cpu_samples      ? 2
                          : lane.role == LaneRole::python_samples ? 1
                                                                  : 0;
        const std::string_view tid = trace.strings[lane.tid];
        return std::tuple(process_row[lane.process], kind,
                          lane.has_sort_index ? lane.sort_index : 0, natural_key(tid), tid, below,
                          trace.strings[lane.name]);
    });
    std::vector<LaneId> final_lane(state.lanes.size(), SliceRef::no_index);
    for (const uint32_t i : lanes) {
        const LaneBuild& build = state.lanes[i];
        final_lane[i] = static_cast<LaneId>(trace.lanes.size());
        Lane& lane = trace.lanes.emplace_back();
        lane.kind = kind_of(build);
        lane.samples_python = build.role == LaneRole::python_samples;
        lane.process = process_row[build.process];
        lane.tid = build.tid;
        lane.sort_index = build.sort_index;
        lane.counter = build.counter;
        Process& process = trace.processes[lane.process];
        if (process.device < 0) process.device = build.device;
    }
    for (std::size_t i = 0; i < lanes.size(); ++i)
        trace.lanes[i].name =
            trace.strings.intern(lane_name(trace, state.lanes[lanes[i]], trace.lanes[i]));
    return final_lane;
}

}  // namespace lanescope
