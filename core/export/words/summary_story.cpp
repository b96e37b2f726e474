// The sentences of core/export/words/summary_sentences.h that form the story.
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/base/format.h"
#include "core/export/words/device_label.h"
#include "core/export/words/finding_text.h"
#include "core/export/words/summary_sentences.h"
#include "core/export/words/terminal_text.h"
#include "core/trace/devices.h"
#include "core/trace/join.h"
#include "core/trace/kernel_label.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

std::string busy_sentence(const SummaryText& text, uint32_t place) {
    const SummaryDevice& device = text.summary.devices[place];
    const std::size_t devices = text.summary.devices.size();
    const std::string subject =
        fmt::format("{}{}", device_label(text.trace, text.summary, place),
                    devices > 1 ? fmt::format(", with the most idle time of {} GPUs,", devices)
                                : std::string());
    if (device.at_edges > 0)
        return fmt::format(
            "{} is busy for {} of {}; a gap of {} at the edge of the recording is left out.",
            subject, format_share(device.time.busy, device.recorded_span()),
            format_duration(device.recorded_span()), format_duration(device.at_edges));
    if (device.between_windows > 0)
        return fmt::format("{} is busy for {} of {} in {} recorded windows.", subject,
                           format_share(device.time.busy, device.recorded_span()),
                           format_duration(device.recorded_span()), text.summary.steps.windows);
    return fmt::format("{} is busy for {} of its span of {}.", subject,
                       format_share(device.time.busy, device.time.span),
                       format_duration(device.time.span));
}

// Why the bound is what it is. `whole`: "their time".
std::string bound_reason(StepBound bound, const BoundTimes& times, std::string_view whole) {
    const auto share = [&](Nanos part) { return format_share(part, times.whole); };
    switch (bound) {
        case StepBound::input:
            return fmt::format("for {} of {} the GPU idles while the loader runs",
                               share(times.data_loading), whole);
        case StepBound::communication:
            return fmt::format("for {} of {} a collective runs and nothing computes",
                               share(times.exposed_communication), whole);
        case StepBound::overhead:
            return fmt::format("for {} of {} the GPU idles because of the host",
                               share(times.overhead), whole);
        case StepBound::device:
            return fmt::format("the GPU is busy for {} of {}", share(times.busy), whole);
        default:
            return fmt::format("{} of {}", largest_parts_text(times), whole);
    }
}

std::string bound_sentence(const SummaryText& text, const SummaryDevice& device) {
    const bool one = device.bound_steps == 1;
    const std::string_view warm_up = text.summary.steps.warm_up > 0 ? " after the warm-up" : "";
    const std::string subject = device.bound_steps == 0 ? std::string("It is")
                                : one                   ? fmt::format("Its step{} is", warm_up)
                                                        : fmt::format("Its steps{} are", warm_up);
    const std::string_view whole = device.bound_steps == 0 ? "the span"
                                   : one                   ? "its time"
                                                           : "their time";
    const BoundTimes& times = device.bound_times;
    const std::string reason = bound_reason(device.bound, times, whole);
    if (device.bound == StepBound::mixed) return fmt::format("{} mixed: {}.", subject, reason);
    const std::string kind = fmt::format("{} {}-bound", subject, step_bound_name(device.bound));
    if (device.bound == StepBound::input)
        return fmt::format("The data loader limits it. {}: {}.", kind, reason);
    // The sentence before has the share of the span.
    const bool repeats =
        device.bound == StepBound::device &&
        format_share(times.busy, times.whole) == format_share(device.time.busy, device.time.span);
    return repeats ? kind + "." : fmt::format("{}: {}.", kind, reason);
}

std::string few_gaps_sentence(const SummaryDevice& device, uint32_t few) {
    Nanos total = 0;
    std::string list;
    for (uint32_t i = 0; i < few; ++i) {
        const Nanos length = device.gaps[i].gap.range.length();
        total += length;
        list += (i > 0 ? ", " : "") + format_duration(length);
    }
    return fmt::format("{} ({}) {} {} of the idle time.",
                       few == 1 ? "One gap" : fmt::format("{} gaps", few), list,
                       few == 1 ? "is" : "are", format_share(total, device.recorded_idle()));
}

std::string cause_sentence(const SummaryDevice& device) {
    const SummaryCause& cause = device.causes.front();
    const bool all = cause.gaps == device.gap_count;
    const std::string gaps =
        fmt::format("{}{}", all ? "all " : format_count(static_cast<int64_t>(cause.gaps)) + " of ",
                    format_count(device.gap_count, "gap", "gaps"));
    const std::string time = part_of(cause.total, device.recorded_idle(), "the") + " of idle time";
    const std::string part = fmt::format("{}, in {}", time, gaps);
    switch (cause.cause) {
        case GapCause::host: {
            std::string line = fmt::format(
                "The host launches too slowly: {}, {}, began before the next launch", gaps, time);
            if (device.launches > 0 && device.deepest_queue <= 2)
                line += device.deepest_queue <= 1
                            ? "; no launch ever found another one in the queue"
                            : "; the queue never had more than 2 launches";
            return line + ".";
        }
        case GapCause::synchronisation:
            return fmt::format("The host waits for the GPU and launches more only then: {}.", part);
        case GapCause::copy:
            return fmt::format("The host is busy with copies: {}.", part);
        case GapCause::dependency:
            return fmt::format("Streams wait for each other, or for copies: {}.", part);
        case GapCause::graph:
            return fmt::format(
                "Why it idles is not recorded: in {}, {}, the next work had been launched in time.",
                gaps, time);
        case GapCause::launch_latency:
            return fmt::format("Work begins late although it was launched in time: {}.", part);
        case GapCause::profiler_overhead:
            return fmt::format("The profiler itself delays it: {}.", part);
        case GapCause::recording:
            return fmt::format("The profiler started or stopped: {}.", part);
        case GapCause::unknown:
            break;
    }
    return fmt::format(
        "Why it idles is not recorded: in {}, {}, the launch of the next work is not in the file.",
        gaps, time);
}

std::string operator_story(const SummaryText& text) {
    const SummaryOperator& op = text.summary.operators.front();
    return fmt::format(
        "The largest share of the operators' own CPU time is {}: {} of {} ({}), in {}.",
        printable(text.trace.strings[op.name]), format_duration(op.cpu_self),
        format_duration(text.summary.cpu_self), format_share(op.cpu_self, text.summary.cpu_self),
        format_count(op.calls, "call", "calls"));
}

std::string top_slice_story(const SummaryText& text) {
    const SummarySlices& top = *text.summary.top_slices;
    const std::string_view category =
        text.trace.strings[text.trace.categories[top.slices.category].name];
    return fmt::format("The largest share of self time is {}{}: {} of {} ({}), in {}.",
                       cut_to_width(printable(short_name(text.trace, top.slices.longest)), 70),
                       category.empty() ? "" : fmt::format(" ({})", printable(category)),
                       format_duration(top.slices.self), format_duration(top.all),
                       format_share(top.slices.self, top.all),
                       format_count(top.slices.count, "slice", "slices"));
}

std::string busiest_lane_story(const SummaryText& text) {
    const SummaryLane& lane = text.summary.lanes.front();
    const Nanos whole =
        text.summary.range ? text.summary.range->length() : file_span(text.trace).length();
    return fmt::format("The busiest lane is {}: it has slices for {} of {} ({}).",
                       lane_in_sentence(text.trace, lane.lane), format_duration(lane.busy),
                       format_duration(whole), format_share(lane.busy, whole));
}

std::string kernel_story(const SummaryText& text, uint32_t device) {
    const SummaryKernel& kernel =
        *std::ranges::find(text.summary.kernels, device, &SummaryKernel::device);
    return fmt::format("The largest share of its work is {}: {} ({}), in {}.",
                       printable(kernel_label(text.trace.name(kernel.longest))),
                       format_duration(kernel.total), format_percent(kernel.share),
                       format_count(kernel.calls, "call", "calls"));
}

std::string samples_story(const SummaryText& text, const SummarySamples& samples) {
    const std::string time = format_duration(samples.all.time);
    const FunctionSamples& most = samples.functions.front();
    const std::string part = fmt::format("{} {} in {}", sampled_share(samples, most),
                                         samples.kind == SampleKind::waiting ? "of it" : "is",
                                         sampled_function(text.trace, most.function));
    switch (samples.kind) {
        case SampleKind::cpu:
            return fmt::format("Of {} of sampled CPU time, {}.", time, part);
        case SampleKind::python:
            return fmt::format("Of {} in Python threads, {}.", time, part);
        case SampleKind::waiting:
            return fmt::format("Threads did not run for {} together, {}.", time, part);
    }
    return {};
}

std::string communication_sentence(const SummaryDevice& device) {
    const TimeBreakdown& time = device.time;
    const std::string part = part_of(time.exposed_communication, time.busy, "its");
    const std::string share = format_share(time.exposed_communication, time.busy);
    if (time.exposed_communication == time.communication)
        return fmt::format(
            "None of its communication overlaps with computation: {} of busy time ({}).", part,
            share);
    return fmt::format(
        "{} of busy time ({}) are exposed communication, during which nothing computes.", part,
        share);
}

std::string copies_sentence(const SummaryDevice& device) {
    return fmt::format("{} of busy time {} {} from or to pageable memory.",
                       part_of(device.pageable_copy_time, device.time.busy, "its"),
                       device.pageable_copies == 1 ? "is" : "are",
                       format_count(device.pageable_copies, "copy", "copies"));
}

std::string waits_story(const SummaryText& text) {
    const SummaryWaits& waits = text.summary.waits;
    const uint64_t calls = waits.calls + waits.copies;
    std::string line =
        fmt::format("The host spends {} in {} for the GPU", format_duration(waits.total()),
                    format_count(calls, "call that waits", "calls that wait"));
    const std::string largest = format_duration(waits.largest);
    return largest == format_duration(waits.total())
               ? fmt::format("{}, {}.", line, waits_reason(text))
               : fmt::format("{}, {} of it {}.", line, largest, waits_reason(text));
}

std::string odd_steps_sentence(const SummaryText& text, uint32_t count) {
    constexpr uint32_t max_listed = 3;
    std::string list;
    uint32_t odd = 0;
    const std::vector<Step>& all = text.context.get<Steps>().all;
    const bool several = all.front().process != all.back().process;
    for (const SummaryStep& row : text.summary.steps.all) {
        if (!row.outlier || odd++ >= max_listed) continue;
        const Step& step = all[row.step];
        list += fmt::format(
            "{}#{}{}{} takes {} ({} over the median)", list.empty() ? "" : ", ", step.index,
            step.repeated ? fmt::format("@{}", step.window) : "",
            several ? fmt::format(" of {}", process_text(text.trace, step.process)) : "",
            format_duration(row.time), format_percent(row.deviation));
    }
    if (count > max_listed) list += fmt::format(", and {} more", count - max_listed);
    return fmt::format("{}: {}.", count == 1 ? "One step differs" : "Some steps differ", list);
}

bool launches_work(const Trace& trace) {
    return std::ranges::any_of(trace.runtime_calls.slice, [&](SliceRef call) {
        return trace.name(call).find("LaunchKernel") != std::string_view::npos;
    });
}

std::string no_work_sentence(const SummaryText& text) {
    if (!text.trace.gpu_activities.slice.empty()) return "There is no GPU work in this range.";
    if (!text.summary.incomplete && launches_work(text.trace))
        return "The file has no GPU work, although the host launches some: it was not recorded.";
    return text.summary.incomplete ? "The part that was read has no GPU work."
                                   : "The file has no GPU work.";
}

std::string sentence_of(const SummaryText& text, const StoryPoint& point) {
    const auto device = [&]() -> const SummaryDevice& {
        return text.summary.devices[point.device];
    };
    switch (point.kind) {
        case StoryKind::top_operator:
            return operator_story(text);
        case StoryKind::samples:
            return samples_story(text, text.summary.samples[point.count]);
        case StoryKind::top_kernel:
            return kernel_story(text, point.device);
        case StoryKind::incomplete:
            return incomplete_sentence(*text.summary.incomplete);
        case StoryKind::no_gpu_work:
            return no_work_sentence(text);
        case StoryKind::counters_only:
            return "Only the program's use of CPU and memory was recorded: it opened no NVTX range "
                   "and made no CUDA call. Recorded with samples (lanescope record --sample, 2 to "
                   "5 % more CPU time), its functions are here, too; torch.profiler records the "
                   "operators of PyTorch.";
        case StoryKind::top_slice:
            return top_slice_story(text);
        case StoryKind::busiest_lane:
            return busiest_lane_story(text);
        case StoryKind::gpu_busy:
            return busy_sentence(text, point.device);
        case StoryKind::peak_memory:
            return memory_sentence(text, text.summary.memory.front());
        case StoryKind::lag:
            return lag_sentence(*text.summary.steps.lag);
        case StoryKind::bound:
            return bound_sentence(text, device());
        case StoryKind::few_gaps:
            return few_gaps_sentence(device(), point.count);
        case StoryKind::idle_cause:
            return cause_sentence(device());
        case StoryKind::exposed_communication:
            return communication_sentence(device());
        case StoryKind::pageable_copies:
            return copies_sentence(device());
        case StoryKind::waits:
            return waits_story(text);
        case StoryKind::odd_step:
            return odd_steps_sentence(text, point.count);
        case StoryKind::finding:
            return text.findings ? finding_sentence(text.context, *text.findings,
                                                    text.findings->all[point.count])
                                 : std::string();
    }
    return {};
}

}  // namespace

std::string story_sentence(const SummaryText& text, const StoryPoint& point) {
    return in_device_words(text.trace, sentence_of(text, point));
}

}  // namespace lanescope
