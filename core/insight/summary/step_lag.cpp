#include "core/insight/summary/step_lag.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/analysis/statistics/distribution.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/base/format.h"
#include "core/base/intervals.h"

namespace lanescope {

namespace {

bool is_behind(StepPace pace) {
    return pace == StepPace::behind || pace == StepPace::ahead || pace == StepPace::late;
}

double median_of(std::vector<Nanos> values) {
    std::ranges::sort(values);
    return quantile(values, 0.5);
}

// The GPU work of the chosen steps.
struct LaggingWork {
    std::vector<TimeRange> ranges;
    uint32_t first = kNoRow;  // the row that begins first
};

LaggingWork work_of(const TraceContext& context, const std::vector<bool>& chosen) {
    const Trace& trace = context.trace();
    const std::vector<uint32_t>& step_of_work = context.get<DeviceSteps>().step_of_work;
    LaggingWork work;
    for (uint32_t row = 0; row < step_of_work.size(); ++row) {
        if (step_of_work[row] == kNoRow || !chosen[step_of_work[row]]) continue;
        const SliceRef slice = trace.gpu_activities.slice[row];
        work.ranges.push_back({trace.start(slice), trace.slice_end(slice)});
        if (work.first == kNoRow ||
            work.ranges.back().begin < trace.start(trace.gpu_activities.slice[work.first]))
            work.first = row;
    }
    return work;
}

// The process whose steps launch most GPU time; kNoRow: none of their GPU work is behind.
uint32_t lagging_process(const TraceContext& context) {
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    std::vector<Nanos> time(device_steps.pace.size(), 0);
    for (uint32_t i = 0; i < steps.all.size(); ++i)
        if (device_steps.all[i].has_work)
            time[steps.all[i].process] += device_steps.all[i].work.length();
    if (time.empty()) return kNoRow;
    const auto most = static_cast<uint32_t>(std::ranges::max_element(time) - time.begin());
    return is_behind(device_steps.pace[most]) ? most : kNoRow;
}

}  // namespace

std::optional<StepLag> step_lag(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    const uint32_t process = lagging_process(context);
    if (process == kNoRow) return std::nullopt;
    StepLag lag;
    lag.pace = device_steps.pace[process];
    std::vector<bool> chosen(steps.all.size(), false);
    std::vector<Nanos> host, device;
    Nanos end = INT64_MIN;
    for (uint32_t i = 0; i < steps.all.size(); ++i) {
        const Step& step = steps.all[i];
        if (step.process != process || !query.has(step.range.begin)) continue;
        const DeviceStep& on_device = device_steps.all[i];
        lag.on_host += on_device.host.length();
        end = std::max(end, on_device.host.end);
        if (!on_device.has_work) continue;
        chosen[i] = true;
        host.push_back(on_device.host.length());
        device.push_back(on_device.device.length());
        lag.after = on_device.work.end - on_device.host.end;
    }
    if (host.empty()) return std::nullopt;
    lag.steps = host.size();
    lag.host = median_of(std::move(host));
    lag.device = median_of(std::move(device));
    LaggingWork work = work_of(context, chosen);
    const SliceRef launch = context.get<Attribution>().launch[work.first];
    const Nanos first = trace.start(trace.gpu_activities.slice[work.first]);
    if (launch) lag.first_latency = first - trace.slice_end(launch);
    lag.after_all = first >= end;
    lag.first_of_all =
        std::ranges::all_of(context.get<GpuDevices>().all, [&](const GpuDevice& one) {
            return one.work.empty() || one.work.front().range.begin >= first;
        });
    lag.work = total_length(merged(std::move(work.ranges)));
    return lag;
}

std::string lag_sentence(const StepLag& lag) {
    const std::string after = format_duration(lag.after);
    switch (lag.pace) {
        case StepPace::ahead:
            return fmt::format(
                "The host runs ahead of the GPU: a step takes {} on the host and {} on the GPU, "
                "which ends {} after the last step.",
                format_duration(lag.host), format_duration(lag.device), after);
        case StepPace::late: {
            std::string text = fmt::format(
                "The steps launch {} of GPU work in {} on the host: they leave the GPU idle for {} "
                "of their time.",
                format_duration(lag.work), format_duration(lag.on_host),
                format_share(lag.on_host - lag.work, lag.on_host));
            if (lag.first_latency <= 0) return text;
            text += fmt::format(" The first work begins {} after its launch{}",
                                format_duration(lag.first_latency),
                                lag.after_all ? ", when all steps have ended on the host" : "");
            return text + (lag.first_of_all
                               ? "; nothing ran before it, so this delay is the profiler's start."
                               : ".");
        }
        default:
            return fmt::format(
                "The GPU works {} ({} steps) behind the host; the figures of a step are of the "
                "work "
                "that it launched.",
                after, format_decimals(static_cast<double>(lag.after) / lag.host, 1));
    }
}

}  // namespace lanescope
