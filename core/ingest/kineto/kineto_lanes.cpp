#include "core/ingest/kineto/kineto_lanes.h"

#include <optional>
#include <vector>

#include "core/base/string_pool.h"

namespace lanescope {

namespace {

// Kineto's sort index of its process "Spans", above that of any real process.
constexpr int64_t kSortIndexOfSpans = 0x20000000;
// The pid under which Kineto writes its own and CUPTI's overhead. Newer versions name the process,
// older ones do not.
constexpr std::string_view kPidOfOverhead = "-1";
constexpr std::string_view kNameOfOverhead = "CUPTI Overhead";
// Kineto's row of waits for a whole context, which belong to no stream.
constexpr std::string_view kTidOfDevice = "-1";

// The rows of a thread's samples in files that Lanescope writes: the thread's id and one of these
// texts. The second one ends with the first one.
constexpr std::string_view kSamplesOfThread = " samples";
constexpr std::string_view kPythonSamplesOfThread = " python samples";

// Makes a row that has only samples a lane of samples.
void complete_samples(BuilderState& state, LaneBuild& lane) {
    const auto take = [&](std::string_view end, LaneRole role) {
        const std::string_view tid = state.strings[lane.tid];
        if (!tid.ends_with(end)) return false;
        lane.role = role;
        lane.tid = state.strings.intern(std::string(tid.substr(0, tid.size() - end.size())));
        return true;
    };
    if (!take(kPythonSamplesOfThread, LaneRole::python_samples))
        take(kSamplesOfThread, LaneRole::cpu_samples);
}

// The content of all lanes of a process.
struct Content {
    uint16_t classes = 0;
    bool gpu_activity = false;
};

void complete_process(BuilderState& state, ProcessBuild& process, const Content& content) {
    const std::string_view pid = state.strings[process.pid];
    const bool has_pid_of_overhead = pid == kPidOfOverhead;
    const uint16_t overhead = bit_of(EventClass::overhead);
    if (has_pid_of_overhead && state.strings[process.name].empty() &&
        (content.classes | overhead) == overhead)
        process.name = state.strings.intern(kNameOfOverhead);
    process.is_profilers_own =
        pid == "Spans" || pid == "Traces" || state.strings[process.name] == kNameOfOverhead;
    process.comes_last = has_pid_of_overhead || process.sort_index >= kSortIndexOfSpans;
}

void complete_lane(BuilderState& state, LaneBuild& lane, const Content& content) {
    const ProcessBuild& process = state.processes[lane.process];
    const std::string_view tid = state.strings[lane.tid];
    if (lane.kind != LaneKind::thread) return;
    if (lane.has_samples && !lane.has_calls) {
        complete_samples(state, lane);
    } else if (tid == kTidOfDevice && content.gpu_activity) {
        if (!lane.has_gpu_activity) lane.role = LaneRole::device;
    } else if (!lane.has_gpu_activity && state.strings[process.pid] == kPidOfOverhead &&
               state.strings[process.name] == kNameOfOverhead) {
        lane.role = LaneRole::profiler;
    }
}

}  // namespace

void complete_json_lanes(BuilderState& state) {
    std::vector<Content> contents(state.processes.size());
    for (const LaneBuild& lane : state.lanes) {
        contents[lane.process].classes |= lane.classes;
        contents[lane.process].gpu_activity |= lane.has_gpu_activity;
    }
    for (std::size_t i = 0; i < contents.size(); ++i)
        complete_process(state, state.processes[i], contents[i]);
    for (LaneBuild& lane : state.lanes) complete_lane(state, lane, contents[lane.process]);
}

}  // namespace lanescope
