// The table of steps: core/analysis/gpu/step_times.h.
#include <optional>
#include <string>

#include "core/analysis/gpu/step_times.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/lost_launches.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/step_batches.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"

namespace lanescope {

struct StepTableRow {
    const Trace& trace;
    const Steps& steps;
    const DeviceStep& on_device;
    const StepRow& times;
    uint32_t lost = 0;
    const BatchLabel& batch;
    const Step& step = steps.all[times.step];
    bool has_gpu = !trace.gpu_activities.slice.empty();
    std::string parts =
        times.bound == StepBound::mixed ? largest_parts_text(times.parts) : std::string();

    uint32_t process_row() const { return step.process; }
    std::optional<int64_t> on_gpu(int64_t value) const {
        return has_gpu ? std::optional(value) : std::nullopt;
    }
    std::optional<int64_t> tokens() const { return known(batch.all.queries, kNoValue); }
};

namespace {

constexpr std::string_view kNoGpu = "no GPU in the trace";
constexpr std::string_view kNoWork = "the step launched no GPU work";
constexpr std::string_view kNotStated = "no annotation of the step states it";
constexpr std::string_view kNoWorkOfProcess = "its process has no GPU work in the trace";

constexpr auto kTimeColumns = columns<StepTableRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the step."},
     [](const StepTableRow& row) { return row.trace.strings[row.step.name]; }},
    {shown_first({"index", Unit::none, kDistinct, "",
                  "N of ProfilerStep#N; of other steps counted from 0."}),
     [](const StepTableRow& row) { return row.step.index; }},
    {where_rows_differ({"window", Unit::none, kDistinct, "",
                        "The recorded window of the step, counted from 1 in its process: a window "
                        "ends where a number is missing or repeated."}),
     [](const StepTableRow& row) { return row.step.window; }},
    kProcessColumn,
    {where_rows_differ(
         {"pid", Unit::none, kDistinct, "", "Id of that process, as the file writes it."}),
     [](const StepTableRow& row) {
         return row.trace.strings[row.trace.processes[row.step.process].pid];
     }},
    {shown_first(
         {"start_ns", Unit::nanoseconds, kMin, "", "Begin on the CPU, from the trace's origin."}),
     [](const StepTableRow& row) { return row.step.range.begin - row.trace.origin; }},
    {shown_first({"duration_ns", Unit::nanoseconds, kSum, "",
                  "On the host: length of the annotation or period that is the step; see "
                  "definition."}),
     [](const StepTableRow& row) { return row.step.range.length(); }},
    {shown_first({"device_ns", Unit::nanoseconds, kSum, kNoWork,
                  "On the GPU: from the end of the previous step's work to the end of the work "
                  "launched in this step; of the first step, from the begin of its own. Of several "
                  "devices the longest."}),
     [](const StepTableRow& row) {
         return row.on_device.has_work ? std::optional(row.on_device.device.length())
                                       : std::nullopt;
     }},
    {{"time_ns", Unit::nanoseconds, kSum, "",
      "What the step takes: device_ns if the host runs ahead of the GPU, or if the GPU is behind "
      "and "
      "device_ns is more than 5 % longer; else duration_ns."},
     [](const StepTableRow& row) { return row.times.time; }},
    {shown_first({"gpu_busy_ns", Unit::nanoseconds, kSum, kNoGpu,
                  "Time in which a kernel, copy or set that was launched in the step runs, "
                  "whenever that is."}),
     [](const StepTableRow& row) { return row.on_gpu(row.times.gpu_busy); }},
});

constexpr auto kPartColumns = columns<StepTableRow>({
    {{"cpu_self_ns", Unit::nanoseconds, kSum, "",
      "Time in operators, added up over the process's threads, without calls that wait for the "
      "GPU."},
     [](const StepTableRow& row) { return row.times.cpu_self; }},
    {{"data_loading_ns", Unit::nanoseconds, kSum, "", "Time in the data loader with the GPU idle."},
     [](const StepTableRow& row) { return row.times.parts.data_loading; }},
    {{"exposed_communication_ns", Unit::nanoseconds, kSum, kNoGpu,
      "Time in which a collective's kernel launched in the step runs, and no other kernel."},
     [](const StepTableRow& row) { return row.on_gpu(row.times.exposed_communication); }},
    {{"kernels", Unit::count, kSum, kNoGpu, "Kernels launched in the step."},
     [](const StepTableRow& row) { return row.on_gpu(static_cast<int64_t>(row.times.kernels)); }},
    {{"warm_up", Unit::none, kMax, "",
      "1: a leading step above p50 + 3 × 1.4826 × median absolute deviation of the steps after it; "
      "excluded from comparisons."},
     [](const StepTableRow& row) { return row.times.warm_up; }},
    {on_request({"launches_without_gpu_record", Unit::count, kSum, "",
                 "Launches in it whose work is not recorded: its figures of the GPU are too small. "
                 "Findings leave out steps that lack more than 5 %."}),
     [](const StepTableRow& row) { return row.lost; }},
    {{"outlier", Unit::none, kMax, "",
      "1: not warm-up, above that limit, and at least 5 % above the median."},
     [](const StepTableRow& row) { return row.times.outlier; }},
    {{"deviation", Unit::ratio, kNoAggregate, "steps take no time",
      "Difference to the median step, as a fraction of the median."},
     [](const StepTableRow& row) { return row.times.deviation; }},
    {shown_first(
         {"bound", Unit::none, kDistinct, kNoWorkOfProcess,
          "The first that holds: input (data_loading_ns is at least 30 % of the step), "
          "communication "
          "(exposed, 30 %), overhead (15 %), device (GPU busy for 70 %), otherwise mixed."}),
     [](const StepTableRow& row) { return known_text(step_bound_name(row.times.bound)); }},
    {{"overhead_ns", Unit::nanoseconds, kSum, kNoGpu,
      "Idle time because of the host, without data_loading_ns: gaps with the cause host, launch "
      "latency or synchronisation, or copy if the memory is pageable; and the time before the "
      "first launch and after the last activity of the trace."},
     [](const StepTableRow& row) { return row.on_gpu(row.times.parts.overhead); }},
    {{"largest_parts", Unit::none, kDistinct, "the bound is not mixed",
      "The two largest of GPU work, communication (exposed), data loading, overhead and other "
      "idle time."},
     [](const StepTableRow& row) { return known_text(row.parts); }},
    {{"source", Unit::none, kDistinct, "",
      "How the steps were found: profiler, annotation, data loader, optimizer, or operators "
      "(detected)."},
     [](const StepTableRow& row) { return step_source_name(row.steps.source); }},
    {{"annotation_ns", Unit::nanoseconds, kSum, "no annotation surrounds the step",
      "Length of its annotation."},
     [](const StepTableRow& row) {
         return row.step.mark ? std::optional(row.trace.duration(row.step.mark)) : std::nullopt;
     }},
    {{"definition", Unit::none, kDistinct, "",
      "annotation: the step is its annotation; period: it lasts from one mark to the next or, if "
      "its "
      "annotation only times the dispatch of GPU work, to the end of that work."},
     [](const StepTableRow& row) { return row.step.definition(); }},
});

constexpr auto kBatchColumns = columns<StepTableRow>({
    {shown_first({"phase", Unit::none, kDistinct, kNotStated,
                  "What a server computes in the step, by the annotation of its engine. prefill: "
                  "prompts; decode: the next tokens of sequences; mixed: both."}),
     [](const StepTableRow& row) { return known_text(batch_phase_name(row.batch.phase)); }},
    {shown_first({"requests", Unit::count, kSum, kNotStated, "Requests in the step's batch."}),
     [](const StepTableRow& row) { return known(row.batch.all.requests, kNoValue); }},
    {{"query_tokens", Unit::count, kSum, kNotStated,
      "Tokens that the step computes, over all requests: those of prompts, and one for each "
      "sequence that generates, or more with speculative decoding."},
     [](const StepTableRow& row) { return row.tokens(); }},
    {{"key_tokens", Unit::count, kSum, kNotStated,
      "Tokens that attention reads keys and values of, over all requests: query_tokens and the "
      "tokens in the cache."},
     [](const StepTableRow& row) { return known(row.batch.all.keys, kNoValue); }},
    {{"tokens_per_second", Unit::none, mean_by("time_ns"), kNotStated, "query_tokens by time_ns."},
     [](const StepTableRow& row) -> std::optional<double> {
         if (!row.tokens()) return std::nullopt;
         return known_ratio(static_cast<double>(*row.tokens()) * 1e9,
                            static_cast<double>(row.times.time));
     }},
    {{"gpu_time_per_token_ns", Unit::nanoseconds, mean_by("query_tokens"),
      "no annotation of the step states the tokens, or no GPU in the trace",
      "gpu_busy_ns by query_tokens."},
     [](const StepTableRow& row) -> std::optional<double> {
         if (!row.tokens() || !row.has_gpu) return std::nullopt;
         return known_ratio(static_cast<double>(row.times.gpu_busy),
                            static_cast<double>(*row.tokens()));
     }},
});

constexpr auto kStepColumns = joined(joined(kTimeColumns, kPartColumns), kBatchColumns);

}  // namespace

const TableOf<StepTableRow> kStepsTable = {
    {"steps", "Steps: how long each took, and what limited it."},
    kStepColumns,
    [](const StepTableRow& row) {
        return RowTarget{row.step.slice, row.step.range};
    }};

Table steps_table(const TraceContext& context, const TableQuery& query) {
    const Steps& steps = context.get<Steps>();
    TableBuilder table(kStepsTable);
    const std::vector<DeviceStep>& on_device = context.get<DeviceSteps>().all;
    const StepTimes times = step_times(context, query);
    const std::vector<uint32_t>& lost = context.get<LostLaunches>().of_step;
    const std::vector<BatchLabel>& batches = context.get<StepBatches>().all;
    for (const StepRow& row : times.rows)
        table.add(
            {context.trace(), steps, on_device[row.step], row, lost[row.step], batches[row.step]});
    return table.take();
}

}  // namespace lanescope
