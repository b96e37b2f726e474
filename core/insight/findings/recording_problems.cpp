// Two rules about the recording: time that the profiler took, and data that the file lacks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/structure/lost_launches.h"
#include "core/analysis/structure/steps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/trace/incomplete.h"

namespace lanescope {

struct ProfilerOverheadRule : RuleBase {
    static constexpr RuleText kText = {"profiler-overhead", "The profiler slows the program",
                                       "the profiler's own times", RuleAbout::idle_time};
    double min_share = ratio(
        "min_share", 0.05, "idle time in which the profiler itself works, as a share of the span");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<ProfilerOverheadRule>();

struct TraceProblemsRule : RuleBase {
    static constexpr RuleText kText = {"trace-problems", "The recording lacks something", ""};

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput& input) const;
};
template FindingRule rule_of<TraceProblemsRule>();

namespace {

// A smaller share of the steps without GPU work at their edges is usual.
constexpr double kUnrecordedShare = 0.1;

struct Lacking {
    std::vector<FindingEvidence> all;
    std::vector<std::string_view> names;  // in the title

    // `name`: empty if the trace does not show for certain that it lacks something.
    void add(bool applies, std::string_view name, std::string text) {
        if (!applies) return;
        if (!name.empty()) names.push_back(name);
        all.push_back({std::move(text), std::numeric_limits<double>::quiet_NaN(), "", ""});
    }
};

// The category of events of an accelerator that is no GPU of CUDA or ROCm, or the process that
// XLA's profilers write for a device; empty: there is none.
std::string_view other_accelerator(const Trace& trace) {
    constexpr std::array<std::string_view, 6> begins = {"mtia_", "xpu_", "hpu_",
                                                        "glow_", "tpu_", "privateuse1_"};
    for (const Category& category : trace.categories) {
        const std::string_view name = trace.strings[category.name];
        if (std::ranges::any_of(begins,
                                [&](std::string_view begin) { return name.starts_with(begin); }))
            return name;
    }
    for (const Process& process : trace.processes)
        if (const std::string_view name = trace.strings[process.name];
            name.starts_with("/device:GPU") || name.starts_with("/device:TPU"))
            return name;
    return {};
}

// Whether no host thread has events: the file has only GPU work.
bool lacks_host(const Trace& trace) {
    return std::ranges::none_of(trace.lanes, [](const Lane& lane) {
        return lane.kind == LaneKind::thread && !lane.derived && lane.slice_count > 0;
    });
}

// A sentence on the gap at the edge of the recording, which findings exclude.
std::string left_out(const RecordingEdge& gap) {
    const std::string_view end = gap.at_begin ? "begin" : "end";
    const std::string work =
        gap.activities == 0
            ? std::string("no GPU work is")
            : fmt::format("only {} of GPU work ({}) {}",
                          format_count(gap.activities, "activity", "activities"),
                          format_duration(gap.busy), gap.activities == 1 ? "is" : "are");
    return fmt::format(
        "findings leave out a gap of {} at the {} of the recording: {} {} it, and {}",
        format_duration(gap.range.length()), end, work, gap.at_begin ? "before" : "behind",
        gap.is_covered ? "what follows had been launched before it; a profiler that starts or "
                         "stops makes such gaps"
                       : "no step covers it");
}

// Why the device's idle time is not judged; empty: it is known.
std::string without_idle(const MissingWork& missing) {
    if (!missing.hides_idle()) return {};
    if (2 * missing.capturing > missing.host)
        return fmt::format(
            "the program captures CUDA graphs for {} of {}, and what it captures does not run "
            "then: findings say nothing of idle time",
            format_duration(missing.capturing), format_duration(missing.host));
    return fmt::format(
        "the work of {} of {} launches in the analysed time is not recorded: findings say nothing "
        "of "
        "idle time",
        missing.lost, missing.launches);
}

bool has_counters(const Trace& trace) {
    return std::ranges::any_of(trace.categories, [&](const Category& category) {
        return trace.strings[category.name] == "cuda_profiler_range";
    });
}

// The time of a device's window before its first and after its last recorded work. Work that runs
// late is known to be missing from no step.
Nanos without_recorded_work(const DeviceWindow& device) {
    if (device.is_late) return 0;
    return total_length(subtract(device.times, {span_of(device.work->work)}));
}

// Whether torch.profiler recorded operators, so that its options can be recommended.
bool is_of_torch(const Trace& trace) {
    const std::string& format = trace.facts.format;
    return !trace.operators.slice.empty() && (format.empty() || format.starts_with("kineto"));
}

// Which launches lack their work, and when; empty: none.
std::string lost_work(const RuleInput& input) {
    const Trace& trace = input.trace();
    const LostLaunches& lost = input.context.get<LostLaunches>();
    std::vector<uint32_t> rows = lost.rows;
    std::erase_if(rows, [&](uint32_t row) {
        return !input.query.has(trace.start(trace.runtime_calls.slice[row]));
    });
    if (rows.empty()) return {};
    const auto time_of = [&](uint32_t row) {
        return trace.start(trace.runtime_calls.slice[row]) - trace.origin;
    };
    const Steps& steps = input.context.get<Steps>();
    std::vector<uint32_t> hit;
    for (uint32_t step = 0; step < lost.of_step.size(); ++step)
        if (lost.of_step[step] > 0) hit.push_back(step);
    std::string text =
        fmt::format("the work of {} of {} launches is not recorded, from {} to {}", rows.size(),
                    trace.facts.launches, format_duration(time_of(rows.front())),
                    format_duration(time_of(rows.back())));
    if (!hit.empty())
        text += fmt::format(" ({} from {} on)", format_count(hit.size(), "step", "steps"),
                            step_label(trace, steps, hit.front()));
    text += ": the GPU worked more than figures of busy and idle time say there";
    const auto lacking = static_cast<uint64_t>(std::ranges::count(lost.is_lacking, true));
    if (lacking > 0 && lacking < lost.is_lacking.size())
        text +=
            fmt::format("; findings leave out {}, which {} more than 5 %",
                        format_count(lacking, "step", "steps"), lacking == 1 ? "lacks" : "lack");
    return text;
}

// `edge`: the end of the recording with an excluded gap; empty: none.
std::string title_of(bool cut, const Lacking& lacking, std::string_view edge, bool idle_unknown) {
    if (cut) return "The file is truncated or damaged";
    if (!lacking.names.empty())
        return fmt::format("Not recorded: {}", fmt::join(lacking.names, ", "));
    if (!edge.empty()) return fmt::format("A gap at the {} of the recording is left out", edge);
    return idle_unknown ? "Idle time of the GPU is not known"
                        : "GPU work at the begin or the end of the steps may be missing";
}

}  // namespace

std::optional<Finding> ProfilerOverheadRule::on_device(const RuleInput& /*input*/,
                                                       const DeviceWindow& device) const {
    if (device.length <= 0) return {};
    const TimeBreakdown& time = device.summary->time;
    const double share =
        time.span > 0 ? static_cast<double>(time.idle_in_overhead) / static_cast<double>(time.span)
                      : 0;
    if (share < min_share) return {};
    Finding finding;
    finding.cost_kind = CostKind::none;
    finding.share = share;
    finding.title = fmt::format("The GPU idles for {} of its span while the profiler works",
                                format_percent(share));
    finding.evidence = {{"idle while the profiler works",
                         static_cast<double>(time.idle_in_overhead), "ns",
                         "breakdown.profiler_overhead_ns"}};
    finding.advice =
        "Record less: fewer steps (torch.profiler.schedule), no with_stack, no "
        "profile_memory; let two steps of warm-up pass.";
    return finding;
}

std::vector<Finding> TraceProblemsRule::find(const RuleInput& input) const {
    const Trace& trace = input.trace();
    const bool has_gpu = !trace.gpu_activities.slice.empty();
    const bool is_torch = is_of_torch(trace);
    const auto known = [](const Column<StringId>& texts) {
        return std::ranges::any_of(texts, [](StringId text) { return text != StringPool::none; });
    };
    Lacking lacking;
    lacking.add(input.summary.incomplete.has_value(), "the rest of the file",
                "the file is truncated or damaged");
    const std::string_view other = has_gpu ? std::string_view() : other_accelerator(trace);
    lacking.add(
        !other.empty(), "GPU work in a form that is analysed",
        fmt::format("the work of {} is shown but not analysed: it is not in the form in which CUDA "
                    "and ROCm are recorded",
                    other));
    lacking.add(other.empty() && is_torch && !has_gpu && input.summary.incomplete == std::nullopt,
                "GPU work",
                has_counters(trace)
                    ? "no GPU work was recorded, only counters of kernels (cuda_profiler_range), "
                      "for which the profiler runs one kernel at a time: the times of the host "
                      "are longer than without it"
                    : "no GPU work was recorded");
    const std::string lost = lost_work(input);
    lacking.add(!lost.empty(), "the work of some launches", lost);
    lacking.add(is_torch && !known(trace.operators.input_dims), "input shapes",
                "shapes are not recorded: profile(record_shapes=True)");
    lacking.add(is_torch && trace.python_frames.slice.empty(), "Python stacks and modules",
                "Python stacks and modules are not recorded: profile(with_stack=True)");
    lacking.add(is_torch && trace.memory_events.time.empty(), "memory",
                "memory is not recorded: profile(profile_memory=True)");
    for (const DeviceWindow& device : input.devices)
        if (const Nanos time = without_recorded_work(device);
            !input.query.range && device.share(time) >= kUnrecordedShare)
            lacking.add(
                true, "",
                fmt::format("no work of the GPU is in the file for {} at the begin or the end of "
                            "the steps: it may have done work from before the recording",
                            format_duration(time)));
    lacking.add(
        has_gpu && lacks_host(trace), "the host's side",
        "the file has GPU work only, without launches, operators and Python: why the GPU idles "
        "and what launched its work is not known" +
            std::string(is_torch ? "; profile(activities=[ProfilerActivity.CPU, "
                                   "ProfilerActivity.CUDA])"
                                 : ""));
    std::string_view edge;
    bool idle_unknown = false;
    std::set<std::string> said;
    for (const DeviceWindow& device : input.devices) {
        if (device.is_minor) continue;
        idle_unknown = idle_unknown || device.missing.hides_idle();
        const std::string unknown = without_idle(device.missing);
        lacking.add(!unknown.empty() && said.insert(unknown).second, "", unknown);
        if (!device.edge) continue;
        edge = device.edge->at_begin ? "begin" : "end";
        lacking.add(true, "", left_out(*device.edge));
    }
    if (lacking.all.empty()) return {};
    Finding finding;
    finding.cost_kind = CostKind::none;
    const bool cut = input.summary.incomplete.has_value();
    finding.title = title_of(cut, lacking, edge, idle_unknown);
    finding.evidence = std::move(lacking.all);
    finding.advice =
        cut ? "Record or copy it again: what the file lacks may change every other finding."
        : lacking.names.empty()
            ? "Let the recording begin one step before the steps in question."
            : "Record them next time if a question needs them; each costs time and memory.";
    return {finding};
}

}  // namespace lanescope
