// The table of single kernels, copies and sets.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/gpu/occupancy_queries.h"
#include "core/analysis/kernels/kernel_columns.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/kernel_families.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/short_names.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/cost_sums.h"
#include "core/analysis/work/footprints.h"
#include "core/analysis/work/work_models.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

// The data behind the table's rows; an item is a row of Trace::gpu_activities.
struct InstanceRows {
    explicit InstanceRows(const TraceContext& whole) : context(whole) {
        for (const LaunchConfig& each : trace.launch_configs) {
            grids.push_back(triple(each.grid));
            blocks.push_back(triple(each.block));
        }
        footprint.reserve(gpu.slice.size());
        const Occupancy* last = nullptr;
        for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
            footprint.push_back(footprints.footprint_of(row));
            if (footprint.back() == last || !footprint.back()) continue;
            last = footprint.back();
            if (!limiters.contains(last)) limiters.emplace(last, limiter_text(*last));
        }
    }

    TraceContext context;
    const Trace& trace = context.trace();
    const GpuActivities& gpu = trace.gpu_activities;
    const Attribution& attribution = context.get<Attribution>();
    const Steps& steps = context.get<Steps>();
    const std::vector<uint32_t>& step_of_work = context.get<DeviceSteps>().step_of_work;
    const WorkModels& models = context.get<WorkModels>();
    const ShortNames& short_names = context.get<ShortNames>();
    const KernelFamilies& families = context.get<KernelFamilies>();
    const std::vector<uint8_t>& planned = context.get<PlannedByQuery>().by_row;
    std::vector<Triple> grids, blocks;  // by launch configuration
    Footprints footprints{trace};
    std::vector<const Occupancy*> footprint;  // by row; null: not known
    std::map<const Occupancy*, std::string> limiters;
};

}  // namespace

// One activity.
struct KernelInstanceTableRow {
    const InstanceRows& source;
    uint32_t row = 0;  // of Trace::gpu_activities
    const Trace& trace = source.trace;
    const GpuActivities& gpu = source.gpu;
    SliceRef slice = gpu.slice[row];

    std::string_view short_name() const {
        return source.short_names.of(trace, trace.name_id(slice));
    }
    KernelFamily family() const { return source.families.by_row[row]; }
    uint32_t config_index() const { return gpu.config.empty() ? kNoRow : gpu.config[row]; }
    LaunchConfig config() const {
        const uint32_t index = config_index();
        return index == kNoRow ? LaunchConfig() : trace.launch_configs[index];
    }
    std::optional<std::span<const int64_t>> list(const std::vector<Triple>& values) const {
        const uint32_t index = config_index();
        return index == kNoRow ? std::nullopt
                               : std::optional(std::span<const int64_t>(values[index]));
    }
    std::optional<int64_t> device() const {
        const int64_t recorded = gpu.device.empty() ? -1 : gpu.device[row];
        const int64_t drawn_on = trace.processes[trace.lanes[slice.lane].process].device;
        return known(recorded < 0 ? drawn_on : recorded, -1);
    }
    std::optional<double> of_footprint(double Occupancy::*value) const {
        const Occupancy* const footprint = source.footprint[row];
        return footprint ? std::optional(footprint->*value) : std::nullopt;
    }
    std::optional<std::string_view> limiter() const {
        const auto found = source.limiters.find(source.footprint[row]);
        return found == source.limiters.end() ? std::nullopt
                                              : std::optional(std::string_view(found->second));
    }
    CostSums costs() const {
        CostSums sums;
        sums.add(source.models.costs[row], trace.duration(slice));
        return sums;
    }
    std::optional<int64_t> uncertain() const { return costs().known_uncertain(); }
    uint32_t process_row() const { return trace.lanes[slice.lane].process; }
    // The step during which it was launched.
    std::optional<int64_t> step() const {
        const uint32_t step = source.step_of_work[row];
        return step == kNoRow ? std::nullopt : std::optional(source.steps.all[step].index);
    }
};

namespace {

// The column is real because the table of groups has means there.
std::optional<double> known_real(int64_t value) {
    return value < 0 ? std::nullopt : std::optional(static_cast<double>(value));
}

// An instance has the same values, weighted by its own duration.
constexpr ColumnText by_duration(ColumnText text) {
    text.aggregate = mean_by("duration_ns");
    return text;
}

constexpr ColumnText kRecordedDuration = on_request(
    {"recorded_duration_ns", Unit::nanoseconds, kNoAggregate, "it is duration_ns",
     "The duration in the file, where it cannot be true: it lasts beyond the next kernels of the "
     "stream."});
constexpr ColumnText kAttributedBy = {
    "attributed_by", Unit::none, kDistinct, "no operator is known",
    "How the operator was found: launch (it is around the launch call), external id, or, for work "
    "of a graph replay, graph id, order or name (of the captured launch)."};

constexpr auto kInstanceColumns = columns<KernelInstanceTableRow>({
    {kName, [](const KernelInstanceTableRow& row) { return row.trace.name(row.slice); }},
    kShortNameColumn,
    {kKind, [](const KernelInstanceTableRow& row) { return kind_of(row.trace, row.slice); }},
    kFamily,
    {kDevice, [](const KernelInstanceTableRow& row) { return row.device(); }},
    {{"stream", Unit::none, kDistinct, "not recorded", "Id of the stream."},
     [](const KernelInstanceTableRow& row) {
         return row.gpu.stream.empty() ? std::nullopt : known(row.gpu.stream[row.row], -1);
     }},
    {shown_first({"start_ns", Unit::nanoseconds, kMin, "", "Begin, from the trace's origin."}),
     [](const KernelInstanceTableRow& row) {
         return row.trace.start(row.slice) - row.trace.origin;
     }},
    {shown_first({"duration_ns", Unit::nanoseconds, kSum, "", "How long it ran."}),
     [](const KernelInstanceTableRow& row) { return row.trace.duration(row.slice); }},
    {kRecordedDuration,
     [](const KernelInstanceTableRow& row) {
         const auto& recorded = row.gpu.recorded_duration;
         return recorded.empty() ? std::nullopt : known(recorded[row.row], kNoValue);
     }},
    {shown_first({"step", Unit::none, kDistinct,
                  "not launched in a step, or the launch is not known",
                  "Index of the step in which it was launched."}),
     [](const KernelInstanceTableRow& row) { return row.step(); }},
    {{"grid", Unit::none, kDistinct, "not recorded", "Blocks in x, y, z."},
     [](const KernelInstanceTableRow& row) { return row.list(row.source.grids); }},
    {{"block", Unit::none, kDistinct, "not recorded", "Threads of a block in x, y, z."},
     [](const KernelInstanceTableRow& row) { return row.list(row.source.blocks); }},
    {by_duration(kRegisters),
     [](const KernelInstanceTableRow& row) {
         return known_real(row.config().registers_per_thread);
     }},
    {by_duration(kStaticShared),
     [](const KernelInstanceTableRow& row) {
         return known_real(row.config().static_shared_bytes);
     }},
    {by_duration(kDynamicShared),
     [](const KernelInstanceTableRow& row) {
         return known_real(dynamic_shared_bytes(row.config()));
     }},
    {by_duration(kShared),
     [](const KernelInstanceTableRow& row) {
         return known_real(row.config().shared_memory_bytes);
     }},
    {by_duration(kOccupancy),
     [](const KernelInstanceTableRow& row) { return row.of_footprint(&Occupancy::theoretical); }},
    {kLimiter, [](const KernelInstanceTableRow& row) { return row.limiter(); }},
    {by_duration(kProfilersOccupancy),
     [](const KernelInstanceTableRow& row) {
         return known_real(row.config().kineto_occupancy_percent);
     }},
    {by_duration(kWaves),
     [](const KernelInstanceTableRow& row) { return row.of_footprint(&Occupancy::waves); }},
    {kPlanned, [](const KernelInstanceTableRow& row) { return row.source.planned[row.row]; }},
    kFlop,
    kBytes,
    kFloor,
    kLost,
    kBound,
    {{"operator", Unit::none, kDistinct, "none is known", "The operator that launched it."},
     [](const KernelInstanceTableRow& row) {
         return known_name(row.trace, row.source.attribution.op[row.row]);
     }},
    {kAttributedBy,
     [](const KernelInstanceTableRow& row) {
         return known_text(attributed_by(row.trace, row.source.attribution, row.row));
     }},
    {{"unattributed", Unit::none, kDistinct, "an operator is known", "Why no operator is known."},
     [](const KernelInstanceTableRow& row) {
         return known_text(unattributed_reason(row.source.attribution.reason[row.row]));
     }},
    {{"correlation", Unit::none, kDistinct, "not recorded", "Id shared with its launch call."},
     [](const KernelInstanceTableRow& row) {
         const auto& correlation = row.gpu.correlation;
         return correlation.empty() ? std::nullopt : known(correlation[row.row], kNoValue);
     }},
    kUncertainColumn,
    kProcessColumn,
});

}  // namespace

const TableOf<KernelInstanceTableRow> kKernelsByInstanceTable = {
    {"kernels", "Every kernel, copy and set, in order of time.", "instance"},
    kInstanceColumns,
    [](const KernelInstanceTableRow& row) {
        return RowTarget{row.slice, {}};
    }};

Table kernels_by_instance_table(const TraceContext& context, const TableQuery& query) {
    const auto source = std::make_shared<const InstanceRows>(context);
    const Trace& trace = context.trace();
    const GpuActivities& gpu = trace.gpu_activities;
    std::vector<std::pair<Nanos, uint32_t>> instances;  // begin and row
    instances.reserve(gpu.slice.size());
    for (uint32_t row = 0; row < gpu.slice.size(); ++row)
        if (const Nanos start = trace.start(gpu.slice[row]); query.has_work(row, start))
            instances.emplace_back(start, row);
    radix_sort(instances, [](const auto& instance) { return radix_key(instance.first); });
    std::vector<uint32_t> rows;
    rows.reserve(instances.size());
    for (const auto& [start, row] : instances) rows.push_back(row);
    return table_on_demand(kKernelsByInstanceTable, std::move(rows), [source](uint32_t row) {
        return KernelInstanceTableRow{*source, row};
    });
}

}  // namespace lanescope
