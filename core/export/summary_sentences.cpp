#include "core/export/summary_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/format.h"
#include "core/export/summary_writer.h"
#include "core/trace/join.h"
#include "core/view/short_name.h"

namespace lanescope {

namespace {

constexpr std::size_t kNameWidth = 48;
constexpr std::size_t kStepsListed = 8;

std::string count_of(uint64_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", format_count(static_cast<int64_t>(n)), n == 1 ? one : many);
}

std::string share(Nanos part, Nanos whole) {
    return whole > 0 ? format_percent(static_cast<double>(part) / static_cast<double>(whole))
                     : std::string(kUnknown);
}

std::string name_of(const Trace& trace, SliceRef slice) {
    return cut_to_width(printable(short_name(trace, slice)), kNameWidth);
}

// "ProfilerStep#2 to #6", "5 × inference".
std::string steps_named(const SummaryText& text) {
    const auto& all = text.summary.steps.all;
    const auto step = [&](const SummaryStep& row) -> const Step& {
        return text.context.steps().all[row.step];
    };
    const Step& first = step(all.front());
    if (text.summary.steps.source == StepSource::profiler) {
        int64_t least = first.index;
        int64_t most = first.index;
        for (const SummaryStep& row : all) {
            least = std::min(least, step(row).index);
            most = std::max(most, step(row).index);
        }
        return least == most ? fmt::format("ProfilerStep#{}", least)
                             : fmt::format("ProfilerStep#{} to #{}", least, most);
    }
    const std::string name = cut_to_width(printable(text.trace.strings[first.name]), kNameWidth);
    switch (text.summary.steps.source) {
        case StepSource::data_loader:
            return "from one call of the data loader to the next";
        case StepSource::optimizer:
            return fmt::format("to the end of each {}", name);
        case StepSource::operators:
            return fmt::format("detected: a run of operators from {} repeats", name);
        default:
            return fmt::format("by {}", name);
    }
}

}  // namespace

std::string file_sentence(const SummaryText& text) {
    const Trace& trace = text.trace;
    std::string line = fmt::format(
        "{}, {} in {}", trace.facts.producer.empty() ? trace.facts.format : trace.facts.producer,
        count_of(trace.facts.events, "event", "events"),
        format_duration(file_span(trace).length()));
    std::string name;
    for (const SummaryDevice& device : text.summary.devices)
        for (const Device& d : trace.devices)
            if (d.id == device.device) name = d.name;
    if (!text.summary.devices.empty())
        line += fmt::format("; {}{}", count_of(text.summary.devices.size(), "GPU", "GPUs"),
                            name.empty() ? "" : " (" + printable(name) + ")");
    if (trace.synthetic) line += "; synthetic: made by a program, no such run took place";
    if (const auto& range = text.summary.range)
        line +=
            fmt::format("; only {} to {} of it", format_duration_exact(range->begin - trace.origin),
                        format_duration_exact(range->end - trace.origin));
    return line + ".";
}

std::string steps_sentence(const SummaryText& text) {
    const SummarySteps& steps = text.summary.steps;
    if (steps.all.empty()) return "None are marked in the file, and none repeat.";
    std::string line =
        fmt::format("{} ({})", count_of(steps.all.size(), "step", "steps"), steps_named(text));
    if (steps.all.size() == 1) return fmt::format("{}: {}.", line, format_duration(steps.max));
    line += fmt::format(": median {}", format_duration(steps.median));
    if (steps.all.size() > kStepsListed)
        return line +
               fmt::format(
                   ", {} to {}{}.", format_duration(steps.min), format_duration(steps.max),
                   steps.warm_up > 0 ? fmt::format("; {} of warm-up left out", steps.warm_up) : "");
    std::string list;
    for (const SummaryStep& row : steps.all) {
        const Step& step = text.context.steps().all[row.step];
        list += fmt::format("{}{}{}", list.empty() ? "" : ", ",
                            format_duration(step.range.length()), row.warm_up ? " (warm-up)" : "");
    }
    return fmt::format("{}; {}.", line, list);
}

std::string device_sentence(const SummaryText& text, uint32_t place) {
    const SummaryDevice& device = text.summary.devices[place];
    const TimeBreakdown& time = device.time;
    if (time.span == 0) return "No work in this range.";
    std::string line = fmt::format("busy {} of its span of {} ({})", format_duration(time.busy),
                                   format_duration(time.span), share(time.busy, time.span));
    if (device.steps > 0)
        line +=
            fmt::format(", and {} of the {} {} ({})", format_duration(device.busy_in_steps),
                        text.summary.steps.all.size() == 1 ? "step's" : "steps'",
                        format_duration(device.steps), share(device.busy_in_steps, device.steps));
    line += fmt::format("; computing {}", format_duration(time.compute));
    if (time.communication > 0)
        line += fmt::format(", communication {} ({} of it exposed)",
                            format_duration(time.communication),
                            format_duration(time.exposed_communication));
    if (time.memory > 0) line += fmt::format(", copies and sets {}", format_duration(time.memory));
    line += fmt::format("; idle {}", format_duration(time.idle));
    for (std::size_t i = 0; i < device.causes.size(); ++i) {
        if (i > 0 && 200 * device.causes[i].total < time.idle) continue;
        const std::string_view cause = gap_cause_name(device.causes[i].cause);
        line +=
            fmt::format("{}{} {}", i == 0 ? ": " : ", ", cause.empty() ? "cause unknown" : cause,
                        share(device.causes[i].total, time.idle));
    }
    return line + ".";
}

std::string waits_asked(const SummaryText& text) {
    const SummaryWaits& waits = text.summary.waits;
    constexpr std::array<std::string_view, 5> who = {"the profiler", ".item() and its like",
                                                     "copies", "operators", "the program itself"};
    std::string asked = fmt::format("by {}", who[static_cast<std::size_t>(waits.cause)]);
    if (waits.op) asked += " in " + name_of(text.trace, waits.op);
    return asked;
}

std::string waits_sentence(const SummaryText& text) {
    const SummaryWaits& waits = text.summary.waits;
    std::string line;
    if (waits.calls > 0)
        line = fmt::format("{} for the GPU, {} of host time",
                           count_of(waits.calls, "call waits", "calls wait"),
                           format_duration(waits.calls_total));
    if (waits.copies > 0)
        line += fmt::format("{}{} until {} done, {}", line.empty() ? "" : "; ",
                            count_of(waits.copies, "copy waits", "copies wait"),
                            waits.copies == 1 ? "it is" : "they are",
                            format_duration(waits.copies_total));
    return line + fmt::format("; {} of it {} ({}).", format_duration(waits.most), waits_asked(text),
                              count_of(waits.most_calls, "call", "calls"));
}

std::string collectives_sentence(const SummaryText& text, const SummaryCollectives& collectives) {
    const std::string_view type = collective_type_name(collectives.type);
    std::string line = fmt::format("{}: {}, {}", type.empty() ? "of unknown type" : type,
                                   count_of(collectives.calls, "call", "calls"),
                                   format_duration(collectives.total));
    if (collectives.device == kNoRow) return line + " on the CPU.";
    line += collectives.exposed == collectives.total
                ? ", nothing of it overlaps with computing"
                : fmt::format(", {} of it ({}) beside no computing",
                              format_duration(collectives.exposed),
                              share(collectives.exposed, collectives.total));
    if (text.summary.devices.size() > 1)
        line += " on " + device_label(text.trace, text.summary, collectives.device);
    return line + ".";
}

std::string kernel_sentence(const SummaryText& text, const SummaryKernel& kernel) {
    std::string line = fmt::format("{}: {}, {} ({})", name_of(text.trace, kernel.longest),
                                   count_of(kernel.calls, "call", "calls"),
                                   format_duration(kernel.total), format_percent(kernel.share));
    if (text.summary.devices.size() > 1)
        line += " on " + device_label(text.trace, text.summary, kernel.device);
    return line + ".";
}

std::string operator_sentence(const SummaryText& text, const SummaryOperator& op) {
    std::string line =
        fmt::format("{}: {}", name_of(text.trace, op.longest), count_of(op.calls, "call", "calls"));
    if (text.summary.operators_by_device)
        line += fmt::format(", {} on the GPU", format_duration(op.device_self));
    line += fmt::format(", {} of its own on the CPU ({})", format_duration(op.cpu_self),
                        share(op.cpu_self, text.summary.cpu_self));
    // "[[], []]", written for inputs that are not tensors, contains no information.
    if (op.shapes.find_first_of("0123456789") != std::string::npos)
        line += fmt::format("; most with {} ({})", cut_to_width(printable(op.shapes), 60),
                            count_of(op.shape_calls, "call", "calls"));
    return line + ".";
}

std::string memory_sentence(const SummaryText& text, const SummaryMemory& memory) {
    const std::string peak = format_bytes(memory.peak);
    const std::string exact = fmt::format("{} B", format_count(memory.peak));
    std::string line =
        fmt::format("{}: peak {} at {}",
                    memory.device_type == 0 ? "CPU" : fmt::format("GPU {}", memory.device_id),
                    peak == exact ? peak : fmt::format("{} ({})", peak, exact),
                    format_duration(memory.time - text.trace.origin));
    std::string list;
    for (const SummaryHolder& holder : memory.holders)
        list += fmt::format(", {} {}",
                            holder.op ? name_of(text.trace, holder.op) : "outside of operators",
                            format_bytes(holder.bytes));
    if (memory.earlier > 0)
        list += fmt::format(", from before the recording {}", format_bytes(memory.earlier));
    if (!list.empty()) line += "; held by" + list.substr(1);
    return line + ".";
}

std::string lane_sentence(const SummaryText& text, const SummaryLane& lane) {
    const Lane& of = text.trace.lanes[lane.lane];
    return fmt::format("{}: busy for {}, {}.", printable(text.trace.strings[of.name]),
                       format_duration(lane.busy), count_of(of.slice_count, "slice", "slices"));
}

}  // namespace lanescope
