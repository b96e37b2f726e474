#include "core/insight/compare/trace_figures.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <vector>

#include "core/analysis/gpu/breakdown.h"
#include "core/analysis/gpu/step_times.h"
#include "core/analysis/memory/memory.h"
#include "core/analysis/memory/memory_blocks.h"
#include "core/analysis/operators/batch_size.h"
#include "core/analysis/operators/operators.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/step_work.h"
#include "core/analysis/work/work_models.h"

namespace lanescope {

namespace {

constexpr double kUnknownFigure = std::numeric_limits<double>::quiet_NaN();
constexpr double kSecond = 1e9;

double ratio(Nanos part, Nanos whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : kUnknownFigure;
}

// The devices that work ran on: "NVIDIA A100-SXM4-80GB", "8 × …"; different ones joined by commas.
std::string device_names(const TraceContext& context) {
    std::map<std::string, int> counts;
    for (const ModelDevice& device : context.get<WorkModels>().devices)
        if (!device.name.empty()) ++counts[device.name];
    std::string names;
    for (const auto& [name, count] : counts) {
        if (!names.empty()) names += ", ";
        if (count > 1) names += std::to_string(count) + " × ";
        names += name;
    }
    return names;
}

// Number of steps over the time from the first begin to the last end, on the device if it is behind
// the host; averaged over processes.
double steps_per_second(const TraceContext& context, std::span<const uint32_t> measured) {
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    struct Run {
        TimeRange range;
        uint64_t count = 0;
    };
    std::map<uint32_t, Run> runs;
    for (const uint32_t step : measured) {
        const TimeRange range = device_steps.all[step].window;
        Run& run = runs[steps.all[step].process];
        run.range = run.count++ == 0 ? range
                                     : TimeRange{std::min(run.range.begin, range.begin),
                                                 std::max(run.range.end, range.end)};
    }
    double sum = 0;
    for (const auto& [process, run] : runs)
        sum += static_cast<double>(run.count) / static_cast<double>(run.range.length()) * kSecond;
    return runs.empty() ? kUnknownFigure : sum / static_cast<double>(runs.size());
}

void set_busy_of_span(const TraceContext& context, const TableQuery& query, TraceFigures& figures) {
    Nanos busy = 0;
    Nanos span = 0;
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        const TimeBreakdown time = break_down(device.work, SetsAre::memory, query.device_range());
        busy += time.busy;
        span += time.span;
    }
    figures.busy_of_span = ratio(busy, span);
}

// The peak of the GPU with the highest one; of the CPU if nothing ran on a GPU.
void set_peak_memory(const TraceContext& context, const TableQuery& query, TraceFigures& figures) {
    const Trace& trace = context.trace();
    const bool has_gpu = !trace.gpu_activities.slice.empty();
    figures.peak_memory = kNoValue;
    for (const MemoryCurve& curve : context.get<MemoryCurves>().all) {
        if ((curve.device_type != 0) != has_gpu) continue;
        const uint32_t peak = peak_of(trace, curve, query);
        if (peak != kNoRow)
            figures.peak_memory = std::max(figures.peak_memory, curve.allocated[peak]);
    }
}

// Ranked by the GPU time that it launches itself, or by its own CPU time if nothing ran on a GPU.
void set_top_operator(const TraceContext& context, const TableQuery& query, TraceFigures& figures) {
    const Trace& trace = context.trace();
    const bool has_gpu = !trace.gpu_activities.slice.empty();
    figures.top_operator_share = kUnknownFigure;
    if (!has_gpu && !trace.facts.calls_have_times) return;
    Nanos all = 0;
    Nanos longest = 0;
    for (const OperatorRow& row : operator_rows(context, OperatorsBy::name, query.range).rows) {
        if (row.kind != TorchRow::cpu || !row.longest ||
            trace.event_class(row.longest) != EventClass::op)
            continue;
        const Nanos time = has_gpu ? row.device_self_by_launch : row.cpu_self;
        if (!has_gpu) all += time;
        if (time <= longest) continue;
        longest = time;
        figures.top_operator = trace.strings[row.name];
    }
    if (has_gpu)
        for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row)
            if (const SliceRef slice = trace.gpu_activities.slice[row];
                query.has_work(row, trace.start(slice)))
                all += trace.duration(slice);
    figures.top_operator_share =
        figures.top_operator.empty() ? kUnknownFigure : ratio(longest, all);
}

void set_work(const StepWork& work, double times, Nanos window, TraceFigures& figures) {
    figures.flop = work.products > 0 ? static_cast<double>(work.flop.n) / times : kUnknownFigure;
    figures.modelled = ratio(work.modelled_time, work.costs.time);
    figures.hfu = work.hfu(window);
    figures.mfu = work.mfu(window);
    figures.uncertain_peak = work.uncertain_peak;
}

// For the mean step, without warm-up.
void set_of_steps(const TraceContext& context, const StepTimes& times, const StepWorks& works,
                  TraceFigures& figures) {
    const Steps& steps = context.get<Steps>();
    std::vector<uint32_t> measured;
    StepWork work;
    Nanos all = 0;
    Nanos busy = 0;
    double kernels = 0;
    for (const StepRow& row : times.rows) {
        if (row.warm_up) continue;
        measured.push_back(row.step);
        work.add(works.steps[row.step]);
        all += row.time;
        busy += row.gpu_busy;
        kernels += static_cast<double>(row.kernels);
    }
    const auto count = static_cast<double>(measured.size());
    figures.source = steps.source;
    figures.steps = measured.size();
    figures.time_ns = times.durations.mean;
    figures.ci95_ns = times.durations.ci95;
    figures.steps_per_second = steps_per_second(context, measured);
    figures.batch = batch_size(context, measured).value_or(kNoValue);
    set_work(work, count, all, figures);
    if (context.trace().gpu_activities.slice.empty()) return;
    figures.busy_of_steps = ratio(std::min(busy, all), all);
    figures.kernels = kernels / count;
}

void set_of_all(const TraceContext& context, const TableQuery& query, const StepWorks& works,
                TraceFigures& figures) {
    const Trace& trace = context.trace();
    figures.time_ns = static_cast<double>(figures.range.length());
    figures.ci95_ns = kUnknownFigure;
    figures.steps_per_second = kUnknownFigure;
    figures.batch = kNoValue;
    set_work(works.all, 1, query.device_range().value_or(gpu_span(context)).length(), figures);
    if (trace.gpu_activities.slice.empty()) return;
    figures.kernels = 0;
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row)
        if (const SliceRef slice = trace.gpu_activities.slice[row];
            trace.event_class(slice) != EventClass::memory &&
            query.has_work(row, trace.start(slice)))
            ++figures.kernels;
}

}  // namespace

double TraceFigures::samples_per_second() const {
    return batch == kNoValue ? kUnknownFigure : static_cast<double>(batch) * steps_per_second;
}

TraceFigures trace_figures(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    TraceFigures figures;
    figures.file = std::filesystem::path(trace.path).filename().string();
    figures.devices = device_names(context);
    figures.range = query.range.value_or(trace.content);
    figures.busy_of_steps = kUnknownFigure;
    figures.kernels = kUnknownFigure;
    const StepTimes times = step_times(context, query);
    const StepWorks works = step_works(context, query);
    if (times.durations.count > 0)
        set_of_steps(context, times, works, figures);
    else
        set_of_all(context, query, works, figures);
    set_busy_of_span(context, query, figures);
    set_peak_memory(context, query, figures);
    set_top_operator(context, query, figures);
    return figures;
}

}  // namespace lanescope
