#include "core/overlays/step_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/analysis/gpu/step_times.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/step_batches.h"
#include "core/analysis/structure/steps.h"
#include "core/base/format.h"

namespace lanescope {

namespace {

// What limits the step, behind its time.
std::string bound_text(const StepRow& row) {
    if (row.bound == StepBound::unknown) return {};
    if (row.bound == StepBound::mixed) return " · mixed: " + largest_parts_text(row.parts);
    return fmt::format(
        " · GPU busy {} · {}-bound",
        format_percent(static_cast<double>(row.parts.busy) / static_cast<double>(row.parts.whole)),
        step_bound_name(row.bound));
}

// "decode of 32 requests", "mixed"; empty: the step states no phase.
std::string batch_text(const BatchLabel& batch) {
    const std::string phase(batch_phase_name(batch.phase));
    if (phase.empty() || batch.all.requests == kNoValue) return phase;
    return fmt::format("{} of {}", phase, format_count(batch.all.requests, "request", "requests"));
}

// "#6" of "ProfilerStep#6"; a name without a number as it is.
std::string number_of(const std::string& name) {
    const std::size_t sign = name.find('#');
    return sign == std::string::npos ? name : name.substr(sign);
}

// The shorter texts: first without what can be guessed, at last only the number.
std::vector<std::string> shorter_texts(const std::string& name, const StepRow& row,
                                       Nanos duration) {
    const std::string number = number_of(name);
    const std::string length = fmt::format("{} · {}", number, format_duration(duration));
    std::vector<std::string> texts;
    if (row.bound != StepBound::unknown)
        texts.push_back(fmt::format("{} · {}{}", length, step_bound_name(row.bound),
                                    row.bound == StepBound::mixed ? "" : "-bound"));
    texts.push_back(length);
    texts.push_back(number);
    constexpr std::string_view kWord = "step ";
    if (number.starts_with(kWord)) texts.push_back(number.substr(kWord.size()));
    return texts;
}

// The process whose steps are shown.
uint32_t main_process(const Steps& steps, const StepTimes& times, std::size_t processes) {
    std::vector<std::pair<Nanos, std::size_t>> weight(processes);  // GPU time, number of steps
    for (const StepRow& row : times.rows) {
        auto& [busy, count] = weight[steps.all[row.step].process];
        busy += row.gpu_busy;
        ++count;
    }
    return static_cast<uint32_t>(std::ranges::max_element(weight) - weight.begin());
}

// The texts of a step that takes another time on its device than on the host. What limits the step
// is said where its time counts.
void add_both_texts(const TraceContext& context, const StepRow& row, const std::string& batch,
                    StepBox& box) {
    const bool counts_on_device =
        context.get<DeviceSteps>().range(context.get<Steps>(), row.step) != box.range;
    const std::string number = number_of(box.name);
    const std::string host = format_duration(box.range.length());
    const std::string device = format_duration(box.device->length());
    const std::string bound = bound_text(row);
    box.text = fmt::format("{}{} · {} on the host{}", box.name, batch, host,
                           counts_on_device ? "" : bound);
    box.shorter = {fmt::format("{} · {} on the host", number, host),
                   fmt::format("{} · {}", number, host), number};
    box.device_text =
        fmt::format("{} · {} on the GPU{}", number, device, counts_on_device ? bound : "");
    box.device_shorter = {fmt::format("{} · {} on the GPU", number, device),
                          fmt::format("{} · {}", number, device), number};
}

// The time of the step's work on its device, where it differs from that on the host.
std::optional<TimeRange> device_range(const TraceContext& context, uint32_t step) {
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    const StepPace pace = device_steps.pace[context.get<Steps>().all[step].process];
    const DeviceStep& one = device_steps.all[step];
    if (!one.has_work || pace == StepPace::with_host) return std::nullopt;
    return pace == StepPace::late ? one.work : one.device;
}

}  // namespace

std::vector<StepBox> step_lane(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    std::vector<StepBox> boxes;
    if (steps.all.empty()) return boxes;
    const StepTimes times = step_times(context, {});
    const uint32_t process = main_process(steps, times, trace.processes.size());
    const std::vector<BatchLabel>& batches = context.get<StepBatches>().all;
    for (const StepRow& row : times.rows) {
        const Step& step = steps.all[row.step];
        if (step.process != process) continue;
        StepBox& box = boxes.emplace_back();
        box.range = step.range;
        box.slice = step.slice;
        box.name = step_label(trace, steps, row.step);
        box.device = device_range(context, row.step);
        std::string batch = batch_text(batches[row.step]);
        if (!batch.empty()) batch.insert(0, " · ");
        if (box.device) {
            add_both_texts(context, row, batch, box);
            continue;
        }
        box.text =
            fmt::format("{}{} · {}{}", box.name, batch, format_duration(row.time), bound_text(row));
        box.shorter = shorter_texts(box.name, row, row.time);
    }
    std::ranges::sort(boxes, {}, [](const StepBox& box) { return box.range.begin; });
    return boxes;
}

}  // namespace lanescope
