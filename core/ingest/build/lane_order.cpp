// Determines the processes and lanes, their names and their display order.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>

#include "core/ingest/build/finish_trace.h"

namespace lanescope {

namespace {

// Kineto's sort index of its "Spans" process, above that of any real process.
constexpr int64_t kSortIndexOfSpans = 0x20000000;
// The pid under which Kineto writes its own and CUPTI's overhead.
constexpr std::string_view kPidOfOverhead = "-1";
constexpr std::string_view kNameOfOverhead = "CUPTI Overhead";

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

std::string lane_name(const Trace& trace, std::string_view given, const Lane& lane) {
    if (!given.empty()) return std::string(given);
    const std::string_view tid = trace.strings[lane.tid];
    if (lane.kind == LaneKind::stream)
        return tid.starts_with("stream") ? std::string(tid) : fmt::format("stream {}", tid);
    if (lane.kind == LaneKind::async) return tid.empty() ? "async" : std::string(tid);
    if (tid.empty()) return "events";
    if (lane.kind == LaneKind::samples) return fmt::format("thread {}", tid);
    const Process& process = trace.processes[lane.process];
    // Waits for a whole context belong to no stream; newer versions of Kineto write "Device 0".
    if (tid == "-1" && process.is_gpu)
        return process.device < 0 ? "Device" : fmt::format("Device {}", process.device);
    if (trace.strings[process.pid] == kPidOfOverhead &&
        trace.strings[process.name] == kNameOfOverhead)
        return "overhead";
    return std::get<0>(natural_key(tid)) == 0 ? fmt::format("thread {}", tid) : std::string(tid);
}

LaneKind kind_of(const LaneBuild& lane) {
    if (lane.kind != LaneKind::thread) return lane.kind;
    if (lane.has_gpu_activity) return LaneKind::stream;
    return lane.has_samples && !lane.has_calls ? LaneKind::samples : LaneKind::thread;
}

// Whether this is Kineto's process for overhead: newer versions name it, older ones do not.
bool is_overhead(const BuilderState& state, const Trace& trace, StringId pid) {
    if (trace.strings[pid] != kPidOfOverhead) return false;
    return std::ranges::all_of(state.lanes, [&](const LaneBuild& lane) {
        return lane.pid != pid ||
               std::ranges::all_of(lane.slices.category, [&](CategoryId category) {
                   return trace.categories[category].event_class == EventClass::overhead;
               });
    });
}

}  // namespace

std::vector<LaneId> order_lanes(const BuilderState& state, Trace& trace) {
    std::vector<uint32_t> lanes;
    std::map<StringId, bool> gpu_pids;
    std::map<StringId, bool> has_slices;
    std::map<StringId, bool> has_counters;
    for (uint32_t i = 0; i < state.lanes.size(); ++i) {
        const LaneBuild& lane = state.lanes[i];
        if (!lane.has_slices() && !lane.has_instants() && !lane.counter) continue;
        lanes.push_back(i);
        gpu_pids[lane.pid] |= lane.has_gpu_activity;
        has_slices[lane.pid] |= lane.has_slices();
        has_counters[lane.pid] |= lane.counter != nullptr;
    }
    const auto process_of = [&](StringId pid) {
        const auto found = state.processes.find(pid);
        return found == state.processes.end() ? ProcessBuild{} : found->second;
    };
    std::vector<StringId> pids;
    pids.reserve(gpu_pids.size());
    for (const auto& [pid, gpu] : gpu_pids) pids.push_back(pid);
    const auto process_key = [&](StringId pid) {
        const ProcessBuild process = process_of(pid);
        // Order: what ran first, the devices that it ran on, their counters, the profiler's own
        // marks and spans.
        const bool own =
            process.sort_index >= kSortIndexOfSpans || trace.strings[pid] == kPidOfOverhead;
        const int rank = gpu_pids[pid]             ? 1
                         : has_slices[pid] && !own ? 0
                         : has_counters[pid]       ? 2
                                                   : 3;
        return std::tuple(rank, process.has_sort_index ? process.sort_index : 0,
                          natural_key(trace.strings[pid]), trace.strings[pid]);
    };
    sort_by_key(pids, process_key);
    std::map<StringId, uint32_t> row_of_pid;
    for (const StringId pid : pids) {
        ProcessBuild process = process_of(pid);
        if (trace.strings[process.name].empty() && is_overhead(state, trace, pid))
            process.name = trace.strings.intern(kNameOfOverhead);
        row_of_pid[pid] = static_cast<uint32_t>(trace.processes.size());
        trace.processes.push_back(
            {pid, process.name, process.labels, process.sort_index, gpu_pids[pid], -1});
    }
    const auto lane_key = [&](uint32_t i) {
        const LaneBuild& lane = state.lanes[i];
        const int kind = lane.kind == LaneKind::counter ? 2 : lane.kind == LaneKind::async ? 1 : 0;
        // Samples are shown below the calls of their thread.
        std::string_view thread = trace.strings[lane.tid];
        for (const std::string_view samples : {kPythonSamplesOfThread, kSamplesOfThread})
            if (thread.ends_with(samples)) thread.remove_suffix(samples.size());
        return std::tuple(row_of_pid[lane.pid], kind, lane.has_sort_index ? lane.sort_index : 0,
                          natural_key(thread), trace.strings[lane.tid], trace.strings[lane.name]);
    };
    sort_by_key(lanes, lane_key);
    std::vector<LaneId> final_lane(state.lanes.size(), SliceRef::no_index);
    for (const uint32_t i : lanes) {
        const LaneBuild& build = state.lanes[i];
        final_lane[i] = static_cast<LaneId>(trace.lanes.size());
        Lane& lane = trace.lanes.emplace_back();
        lane.kind = kind_of(build);
        lane.process = row_of_pid[build.pid];
        lane.tid = build.tid;
        lane.sort_index = build.sort_index;
        lane.counter = build.counter;
        Process& process = trace.processes[lane.process];
        if (process.device < 0) process.device = build.device;
    }
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::string_view given = trimmed(trace.strings[state.lanes[lanes[i]].name]);
        trace.lanes[i].name = trace.strings.intern(lane_name(trace, given, trace.lanes[i]));
    }
    return final_lane;
}

}  // namespace lanescope
