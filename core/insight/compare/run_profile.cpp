#include "core/insight/compare/run_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/gpu/step_times.h"
#include "core/analysis/operators/batch_size.h"
#include "core/analysis/statistics/distribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/step_batches.h"
#include "core/base/format.h"
#include "core/base/parallel.h"
#include "core/insight/summary/step_lag.h"
#include "core/trace/devices.h"
#include "core/trace/incomplete.h"
#include "core/trace/join.h"

namespace lanescope {

namespace {

struct SteadySteps {
    std::vector<SampledStep> samples;
    std::vector<uint32_t> rows;  // of Steps::all
    std::vector<StringId> marks;
    uint64_t warm_up = 0;
};

// The warm-up is left out in each process, and steps of other phases, if `phase` is known.
SteadySteps steady_steps(const TraceContext& context, const TableQuery& query, BatchPhase phase) {
    const Steps& steps = context.get<Steps>();
    const std::vector<BatchLabel>& batches = context.get<StepBatches>().all;
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    SteadySteps steady;
    for (std::size_t first = 0; first < steps.all.size();) {
        const uint32_t process = steps.all[first].process;
        std::vector<uint32_t> rows;
        std::vector<Nanos> durations;
        for (; first < steps.all.size() && steps.all[first].process == process; ++first) {
            const Step& step = steps.all[first];
            if (query.range && !query.range->contains(step.range.begin)) continue;
            if (phase != BatchPhase::unknown && batches[first].phase != phase) continue;
            rows.push_back(static_cast<uint32_t>(first));
            durations.push_back(device_steps.time(steps, static_cast<uint32_t>(first)));
        }
        const std::size_t warm_up = warm_up_steps(durations);
        steady.warm_up += warm_up;
        Nanos end = INT64_MIN;
        for (std::size_t i = warm_up; i < rows.size(); ++i) {
            const Step& step = steps.all[rows[i]];
            const TimeRange window = device_steps.all[rows[i]].window;
            const TimeRange range{std::max(end, window.begin), window.end};
            if (range.begin >= range.end) continue;
            end = range.end;
            const SliceRef shown = step.slice ? step.slice : step.mark;
            steady.samples.push_back(
                {process, range, step.range, shown ? shown.lane : SliceRef::no_index});
            steady.rows.push_back(rows[i]);
        }
    }
    for (const Step& step : steps.all)
        if (step.slice || (step.mark && step.by_work)) steady.marks.push_back(step.name);
    std::ranges::sort(steady.marks);
    steady.marks.erase(std::unique(steady.marks.begin(), steady.marks.end()), steady.marks.end());
    return steady;
}

// Without steps, the whole range of the process with most calls is one sample.
SteadySteps whole_range(const Trace& trace, const TableQuery& query) {
    std::map<uint32_t, uint64_t> calls;
    for (const Lane& lane : trace.lanes)
        if (lane.kind == LaneKind::thread) calls[lane.process] += lane.slice_count;
    SteadySteps whole;
    const TimeRange range = query.range.value_or(trace.content);
    if (calls.empty() && !trace.processes.empty()) calls[0] = 0;
    if (calls.empty() || range.begin >= range.end) return whole;
    const auto most =
        std::ranges::max_element(calls, {}, [](const auto& one) { return one.second; });
    whole.samples.push_back({most->first, range, range, SliceRef::no_index});
    return whole;
}

// From the start of the first sample to the end of the last.
std::optional<TimeRange> samples_range(const SteadySteps& steady) {
    std::optional<TimeRange> time;
    for (const SampledStep& step : steady.samples) {
        if (!time) time = step.host;
        time->begin = std::min(time->begin, step.host.begin);
        time->end = std::max(time->end, step.host.end);
    }
    return time;
}

// "8 × NVIDIA A100": the devices that work ran on.
std::string devices_of(const Trace& trace) {
    if (trace.gpu_activities.slice.empty()) return "CPU only";
    std::vector<std::pair<uint32_t, int32_t>> used;                 // part and device
    const Column<int32_t>& ordinals = trace.gpu_activities.device;  // may be empty
    for (std::size_t row = 0; row < trace.gpu_activities.slice.size(); ++row) {
        const std::pair one{part_of(trace, trace.gpu_activities.slice[row].lane),
                            ordinals.empty() ? -1 : ordinals[row]};
        if (used.empty() || used.back() != one) used.push_back(one);
    }
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::map<std::string, int> counts;
    for (const auto& one : used) {
        const Device* const device = device_like(trace, one.first, one.second);
        ++counts[!device || device->name.empty() ? "a GPU without a name" : device->name];
    }
    std::string names;
    for (const auto& [name, count] : counts)
        names +=
            (names.empty() ? "" : ", ") + (count > 1 ? fmt::format("{} × {}", count, name) : name);
    return names;
}

// "CUDA runtime 12040, CUDA driver 12090": as the file has it.
std::string software_of(const Trace& trace) {
    std::string text;
    for (const auto& [key, value] : trace.metadata) {
        constexpr std::string_view kVersion = "_version";
        // The version of a job is not a version of software.
        if (!key.ends_with(kVersion) || key.find("job") != std::string::npos || value.size() > 60)
            continue;
        std::string name = key.substr(0, key.size() - kVersion.size());
        std::ranges::replace(name, '_', ' ');
        std::string version = value;
        std::erase(version, '"');
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, version);
    }
    return text;
}

std::string yes_or_no(bool yes) {
    return yes ? "recorded" : "not recorded";
}

std::string steps_text(const TraceContext& context, const RunProfile& run) {
    const Trace& trace = context.trace();
    if (run.source == StepSource::none) {
        const auto threads = [](const Lane& lane) {
            return lane.kind == LaneKind::thread && lane.slice_count > 0;
        };
        const auto first = std::ranges::find_if(trace.lanes, threads);
        const bool several = std::ranges::any_of(trace.lanes, [&](const Lane& lane) {
            return threads(lane) && lane.process != first->process;
        });
        return several ? "none: the whole time of the process with most calls is one sample"
                       : "none: the whole trace is one sample";
    }
    const bool by_work = std::ranges::any_of(context.get<Steps>().all, &Step::by_work);
    const bool on_device = std::ranges::count(context.get<DeviceSteps>().pace, StepPace::ahead) > 0;
    return fmt::format("found by {}{}", step_source_name(run.source),
                       on_device ? ", timed on the GPU"
                       : by_work ? ", to the end of their GPU work"
                                 : "");
}

void add_facts(const TraceContext& context, const SteadySteps& steady, RunProfile& run) {
    const Trace& trace = context.trace();
    const auto number = [](int64_t value) {
        return value < 0 ? std::string() : fmt::format("{}", value);
    };
    run.facts.push_back({"device", devices_of(trace)});
    run.facts.push_back({"software", software_of(trace)});
    run.facts.push_back({"producer", trace.facts.producer});
    run.facts.push_back({"world size", number(world_size(trace))});
    run.facts.push_back({"rank", number(own_rank(trace))});
    run.facts.push_back({"processes with steps",
                         number(std::ranges::count_if(context.get<Steps>().all,
                                                      [last = ~uint32_t{0}](const Step& s) mutable {
                                                          return std::exchange(last, s.process) !=
                                                                 s.process;
                                                      }))});
    run.facts.push_back({"steps", steps_text(context, run)});
    const auto batch = batch_size(context, steady.rows);
    run.facts.push_back({"batch size", batch ? fmt::format("{}", *batch) : ""});
    run.facts.push_back({"input shapes", yes_or_no(run.has_shapes)});
    run.facts.push_back({"modules", yes_or_no(run.has_modules)});
    run.facts.push_back({"Python functions", yes_or_no(!trace.python_frames.slice.empty())});
    run.facts.push_back({"memory", yes_or_no(!trace.memory_events.time.empty())});
    if (trace.synthetic) run.facts.push_back({"origin", "synthetic"});
}

// Says so if no time of the file can be read, which is not the same as a file without work.
std::string unreadable_sentence(const Trace& trace) {
    const auto found = std::ranges::find(trace.warnings, "unreadable_time", &Warning::code);
    if (trace.slice_count() > 0 || found == trace.warnings.end()) return {};
    return fmt::format(
        "None of {} has a time that can be read: see lanescope info.",
        format_count(static_cast<int64_t>(found->count), "complete event", "complete events"));
}

}  // namespace

RunProfile profile_run(const TraceContext& context, const TableQuery& query, BatchPhase phase) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    RunProfile run;
    run.file = std::filesystem::path(trace.path).filename().string();
    run.name = run.file;
    SteadySteps steady = steady_steps(context, query, phase);
    if (steps.all.empty())
        steady = whole_range(trace, query);
    else
        run.source = steps.source;
    run.warm_up = steady.warm_up;
    for (const SampledStep& step : steady.samples)
        run.steps.push_back(static_cast<double>(step.range.length()));
    const std::vector<BatchLabel>& batches = context.get<StepBatches>().all;
    const auto is_stated = [](const BatchLabel& batch) { return batch != BatchLabel(); };
    if (std::ranges::any_of(batches, is_stated))
        for (const uint32_t row : steady.rows) run.batches.push_back(batches[row]);
    run.has_gpu_work = !trace.gpu_activities.slice.empty();
    run.has_shapes =
        std::ranges::any_of(trace.operators.input_dims, [](StringId dims) { return dims != 0; });
    if (const auto incomplete = incomplete_of(trace))
        run.incomplete = incomplete_sentence(*incomplete);
    else
        run.incomplete = unreadable_sentence(trace);
    run.functions = make_function_tree(context, steady.samples, steady.marks);
    // Not by the trace's names, which it shares with other traces of a window.
    run.has_modules =
        std::ranges::count(run.functions.nodes, FunctionKind::module, &FunctionNode::kind) > 0;
    add_facts(context, steady, run);
    run.compiled = profile_compiled_code(context, samples_range(steady), steady.samples.size());
    run.compiled.has_steps = !steady.rows.empty();
    if (const auto lag = step_lag(context, query); lag && lag->pace == StepPace::ahead)
        run.ahead = lag_sentence(*lag);
    return run;
}

std::string no_step_of_phase(std::string_view phase) {
    return fmt::format("no steady step is known to be {}", phase);
}

std::vector<RunProfile> profile_runs(std::span<const TraceContext> runs,
                                     std::span<const TableQuery> queries, BatchPhase phase) {
    std::vector<RunProfile> profiles(runs.size());
    const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
    parallel_for(workers, runs.size(),
                 [&](std::size_t i) { profiles[i] = profile_run(runs[i], queries[i], phase); });
    return profiles;
}

}  // namespace lanescope
