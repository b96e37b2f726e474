// The tables of core/analysis/kernels/kernels.h.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "core/analysis/gpu/occupancy_queries.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/step_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/cost_sums.h"
#include "core/analysis/work/footprints.h"
#include "core/analysis/work/work_models.h"
#include "core/base/radix_sort.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr ColumnSpec kName = {"name", text, Unit::none, "", "Name as the file writes it."};
constexpr ColumnSpec kKind = {
    "kind", text, Unit::none, "",
    "kernel, communication (a collective's kernel), or memory (a copy or set)."};
constexpr ColumnSpec kDevice = {"device", integer, Unit::none, "not recorded",
                                "Ordinal of the GPU."};
constexpr ColumnSpec kRegisters = {
    "registers", real, Unit::none, "not recorded",
    "Registers per thread; a mean weighted by duration if configurations differ."};
constexpr ColumnSpec kStaticShared = {
    "static_shared_bytes", real, Unit::bytes, "the file has only the sum",
    "Shared memory of a block that is fixed at compile time; a mean as for shared_bytes."};
constexpr ColumnSpec kDynamicShared = {
    "dynamic_shared_bytes", real, Unit::bytes, "the file has only the sum",
    "Shared memory of a block that is asked for at launch; a mean as for shared_bytes."};
constexpr ColumnSpec kShared = {"shared_bytes", real, Unit::bytes, "not recorded",
                                "Shared memory per block, static and dynamic; a mean weighted by "
                                "duration if configurations differ."};
constexpr ColumnSpec kKinetoOccupancy = {
    "kineto_occupancy_percent", real, Unit::none, "not recorded",
    "Kineto's own estimate from the file, in percent; a mean weighted by duration if "
    "configurations differ. 0 for every kernel with more than 48 KB of shared memory."};

constexpr ColumnSpec kOccupancy = {
    "occupancy", real, Unit::ratio,
    "registers, shared memory, the device or how it runs them are not in the file",
    "Theoretical occupancy: active warps divided by the maximum of a multiprocessor, by CUDA's "
    "rules; a mean weighted by duration if configurations differ."};
constexpr ColumnSpec kLimiter = {
    "occupancy_limiter", text, Unit::none, "the occupancy is not known",
    "What limits it: warps, registers, shared memory, blocks or barriers; equal limits are joined "
    "by +; mixed if instances differ."};
constexpr ColumnSpec kWaves = {"waves", real, Unit::none,
                               "the occupancy or the number of multiprocessors is not known",
                               "Blocks of the grid ÷ blocks that fit on all multiprocessors at a "
                               "time; a mean weighted by duration if configurations differ."};

constexpr ColumnSpec kPlanned = {"planned", integer, Unit::count, "",
                                 "Adaptive launches: instances whose launch follows a call to "
                                 "cudaOccupancyMaxActiveBlocks… by the same caller."};
constexpr ColumnSpec kFlop = {"flop", integer, Unit::flop, "no model",
                              "Operations by its operators' shapes: see table models."};
constexpr ColumnSpec kBytes = {"bytes", integer, Unit::bytes, "no model",
                               "Minimum of bytes that memory must deliver and accept."};
constexpr ColumnSpec kFloor = {"floor_ns",
                               integer,
                               Unit::nanoseconds,
                               "no model, or the device is not in the sheet",
                               "The larger of operations ÷ peak and bytes ÷ bandwidth.",
                               kByUncertain};
constexpr ColumnSpec kLost = {
    "lost_ns", integer, Unit::nanoseconds, "the same", "Time beyond the floor.", kByUncertain};
constexpr ColumnSpec kBound = {"bound", text, Unit::none, "",
                               "compute, memory, latency (part of a wave, or under 5 µs), or "
                               "unknown; of most of the time."};

constexpr std::array kGroupColumns = {
    kName,
    kKind,
    kDevice,
    ColumnSpec{"stream", integer, Unit::none, "several, or not recorded", "Id of the stream."},
    ColumnSpec{"calls", integer, Unit::count, "", "Instances that begin in the range."},
    ColumnSpec{"total_ns", integer, Unit::nanoseconds, "", "Sum of their durations."},
    ColumnSpec{"share", real, Unit::ratio, "no activity took any time",
               "Part of the time of all kernels, copies and sets of the device in the range."},
    ColumnSpec{"mean_ns", real, Unit::nanoseconds, "", "Mean duration."},
    ColumnSpec{"sd_ns", real, Unit::nanoseconds, "a single instance",
               "Standard deviation (n - 1)."},
    ColumnSpec{"ci95_ns", real, Unit::nanoseconds, "a single instance",
               "Half width of the 95 % confidence interval of the mean, by Student's t."},
    ColumnSpec{"min_ns", integer, Unit::nanoseconds, "", "Shortest."},
    ColumnSpec{"p50_ns", real, Unit::nanoseconds, "", "Median."},
    ColumnSpec{"p90_ns", real, Unit::nanoseconds, "",
               "90 % are at most as long; between two instances by linear interpolation."},
    ColumnSpec{"p99_ns", real, Unit::nanoseconds, "", "99 % are at most as long."},
    ColumnSpec{"max_ns", integer, Unit::nanoseconds, "", "Longest."},
    ColumnSpec{"outliers", integer, Unit::count, "",
               "Instances over p50 + 3 × 1.4826 × median absolute deviation."},
    ColumnSpec{"warm_up", integer, Unit::count, "",
               "Leading instances, each above that limit of the instances after it."},
    ColumnSpec{"drift", real, Unit::ratio, "fewer than eight instances",
               "How much the median of the last quarter of instances is longer than that of the "
               "first, as a part of the first; warm-up left out."},
    ColumnSpec{"configs", integer, Unit::count, "",
               "Different launch configurations; more than one: mixed."},
    ColumnSpec{"grid", integers, Unit::none, "not recorded, or mixed", "Blocks in x, y, z."},
    ColumnSpec{"block", integers, Unit::none, "not recorded, or mixed",
               "Threads of a block in x, y, z."},
    kRegisters,
    kStaticShared,
    kDynamicShared,
    kShared,
    kOccupancy,
    kLimiter,
    kKinetoOccupancy,
    kWaves,
    kPlanned,
    kFlop,
    kBytes,
    kFloor,
    kLost,
    kBound,
    ColumnSpec{"operator", text, Unit::none, "none is known",
               "The operator that launched most of its time."},
    ColumnSpec{"operators", integer, Unit::count, "", "Different operators that launched it."},
    kUncertainColumn,
};

constexpr std::array kInstanceColumns = {
    kName,
    kKind,
    kDevice,
    ColumnSpec{"stream", integer, Unit::none, "not recorded", "Id of the stream."},
    ColumnSpec{"start_ns", integer, Unit::nanoseconds, "", "Begin, from the trace's origin."},
    ColumnSpec{"duration_ns", integer, Unit::nanoseconds, "", "How long it ran."},
    ColumnSpec{"step", integer, Unit::none, "not launched in a step, or the launch is not known",
               "Index of the step in which it was launched."},
    ColumnSpec{"grid", integers, Unit::none, "not recorded", "Blocks in x, y, z."},
    ColumnSpec{"block", integers, Unit::none, "not recorded", "Threads of a block in x, y, z."},
    kRegisters,
    kStaticShared,
    kDynamicShared,
    kShared,
    kOccupancy,
    kLimiter,
    kKinetoOccupancy,
    kWaves,
    kPlanned,
    kFlop,
    kBytes,
    kFloor,
    kLost,
    kBound,
    ColumnSpec{"operator", text, Unit::none, "none is known", "The operator that launched it."},
    ColumnSpec{"unattributed", text, Unit::none, "an operator is known",
               "Why no operator is known."},
    ColumnSpec{"correlation", integer, Unit::none, "not recorded",
               "Id shared with its launch call."},
    kUncertainColumn,
};

std::string_view kind_of(const Trace& trace, SliceRef slice) {
    switch (trace.event_class(slice)) {
        case EventClass::communication:
            return "communication";
        case EventClass::memory:
            return "memory";
        default:
            return "kernel";
    }
}

using Triple = std::array<int64_t, 3>;
Triple triple(const uint32_t (&values)[3]) {
    return {values[0], values[1], values[2]};
}

Table grouped_table(const TableSpec& spec, const TraceContext& context,
                    const std::vector<KernelRow>& rows) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    const std::vector<uint8_t>& planned = context.get<PlannedByQuery>().by_row;
    Table table(spec);
    for (const KernelRow& row : rows) {
        const Distribution& d = row.durations;
        const bool one = row.config != kNoRow;
        const LaunchConfig config = one ? trace.launch_configs[row.config] : LaunchConfig();
        const Triple grid = triple(config.grid);
        const Triple block = triple(config.block);
        const auto list = [&](const Triple& values) {
            return one ? Cell(std::span<const int64_t>(values)) : Cell();
        };
        CostSums costs;
        int64_t planned_count = 0;
        for (const uint32_t member : row.members) {
            costs.add(models.costs[member], trace.duration(trace.gpu_activities.slice[member]));
            planned_count += planned[member];
        }
        const auto count = [](uint64_t n) { return Cell(static_cast<int64_t>(n)); };
        table.add_row({trace.strings[row.name],
                       kind_of(trace, row.longest),
                       known(row.device, kNoValue),
                       known(row.stream, kNoValue),
                       count(d.count),
                       d.total,
                       row.share,
                       d.mean,
                       d.sd,
                       d.ci95,
                       d.min,
                       d.p50,
                       d.p90,
                       d.p99,
                       d.max,
                       count(d.outliers),
                       count(row.warm_up),
                       row.drift,
                       count(row.configs),
                       list(grid),
                       list(block),
                       row.registers,
                       row.static_shared_bytes,
                       row.dynamic_shared_bytes,
                       row.shared_bytes,
                       row.occupancy,
                       row.limiter.empty() ? Cell() : Cell(std::string_view(row.limiter)),
                       row.kineto_occupancy_percent,
                       row.waves,
                       planned_count,
                       costs.flop_cell(),
                       costs.bytes_cell(),
                       costs.floor_cell(),
                       costs.lost_cell(),
                       costs.bound_cell(),
                       row.op ? Cell(trace.name(row.op)) : Cell(),
                       count(row.operators),
                       costs.uncertain_cell()},
                      {row.longest, {}});
    }
    return table;
}

// What the rows of single instances are computed from; items are rows of Trace::gpu_activities.
struct InstanceRows {
    explicit InstanceRows(const TraceContext& of) : context(of) {
        for (const LaunchConfig& each : trace.launch_configs) {
            grids.push_back(triple(each.grid));
            blocks.push_back(triple(each.block));
        }
        footprint.reserve(gpu.slice.size());
        const Occupancy* last = nullptr;
        for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
            footprint.push_back(footprints.of(row));
            if (footprint.back() == last || !footprint.back()) continue;
            last = footprint.back();
            if (!limiters.contains(last)) limiters.emplace(last, limiter_text(*last));
        }
    }

    SliceRef slice(uint32_t row) const { return gpu.slice[row]; }
    uint32_t config_of(uint32_t row) const { return gpu.config.empty() ? kNoRow : gpu.config[row]; }
    LaunchConfig config(uint32_t row) const {
        const uint32_t index = config_of(row);
        return index == kNoRow ? LaunchConfig() : trace.launch_configs[index];
    }
    Cell list(const std::vector<Triple>& values, uint32_t row) const {
        const uint32_t index = config_of(row);
        return index == kNoRow ? Cell() : Cell(std::span<const int64_t>(values[index]));
    }
    Cell device(uint32_t row) const {
        const int64_t recorded = gpu.device.empty() ? -1 : gpu.device[row];
        const int64_t drawn_on = trace.processes[trace.lanes[slice(row).lane].process].device;
        return known(recorded < 0 ? drawn_on : recorded, -1);
    }
    Cell limiter(uint32_t row) const {
        const auto found = limiters.find(footprint[row]);
        return found == limiters.end() ? Cell() : Cell(std::string_view(found->second));
    }
    CostSums costs(uint32_t row) const {
        CostSums sums;
        sums.add(models.costs[row], trace.duration(slice(row)));
        return sums;
    }
    Cell why_no_operator(uint32_t row) const {
        const std::string_view reason = unattributed_reason(attribution.reason[row]);
        return reason.empty() ? Cell() : Cell(reason);
    }
    // The step during which it was launched.
    Cell step(uint32_t row) const {
        const SliceRef launch = attribution.launch[row];
        if (!launch) return {};
        return step_cell(steps, trace.lanes[launch.lane].process, trace.start(launch));
    }

    TraceContext context;
    const Trace& trace = context.trace();
    const GpuActivities& gpu = trace.gpu_activities;
    const Attribution& attribution = context.get<Attribution>();
    const Steps& steps = context.get<Steps>();
    const WorkModels& models = context.get<WorkModels>();
    const std::vector<uint8_t>& planned = context.get<PlannedByQuery>().by_row;
    std::vector<Triple> grids, blocks;  // by launch configuration
    Footprints footprints{trace};
    std::vector<const Occupancy*> footprint;  // by row; null: not known
    std::map<const Occupancy*, std::string> limiters;
};

}  // namespace

const TableSpec kKernelsTable = {
    "kernels", "Kernels, copies and sets: how often each ran, and how long it took.",
    kGroupColumns};
const TableSpec kKernelsByConfigTable = {"kernels", "Kernels by name and launch configuration.",
                                         kGroupColumns, "config"};
const TableSpec kKernelsByInstanceTable = {
    "kernels", "Every kernel, copy and set, in order of time.", kInstanceColumns, "instance"};

Table kernels_table(const TraceContext& context, const TableQuery& query) {
    if (!query.range) return grouped_table(kKernelsTable, context, context.get<AllKernels>().rows);
    return grouped_table(kKernelsTable, context, kernel_rows(context, query, KernelGrouping::name));
}

Table kernels_by_config_table(const TraceContext& context, const TableQuery& query) {
    return grouped_table(kKernelsByConfigTable, context,
                         kernel_rows(context, query, KernelGrouping::config));
}

Table kernels_by_instance_table(const TraceContext& context, const TableQuery& query) {
    const auto of = std::make_shared<const InstanceRows>(context);
    const Trace& trace = context.trace();
    const GpuActivities& gpu = trace.gpu_activities;
    std::vector<std::pair<Nanos, uint32_t>> instances;  // begin and row
    instances.reserve(gpu.slice.size());
    for (uint32_t row = 0; row < gpu.slice.size(); ++row)
        if (const Nanos start = trace.start(gpu.slice[row]);
            !query.range || query.range->contains(start))
            instances.emplace_back(start, row);
    radix_sort(instances, [](const auto& instance) { return radix_key(instance.first); });
    std::vector<uint32_t> rows;
    rows.reserve(instances.size());
    for (const auto& [start, row] : instances) rows.push_back(row);
    return Table(kKernelsByInstanceTable,
                 {std::move(rows),
                  {[of](uint32_t i) { return of->trace.name(of->slice(i)); },
                   [of](uint32_t i) { return kind_of(of->trace, of->slice(i)); },
                   [of](uint32_t i) { return of->device(i); },
                   [of](uint32_t i) {
                       return of->gpu.stream.empty() ? Cell() : known(of->gpu.stream[i], -1);
                   },
                   [of](uint32_t i) { return of->trace.start(of->slice(i)) - of->trace.origin; },
                   [of](uint32_t i) { return of->trace.duration(of->slice(i)); },
                   [of](uint32_t i) { return of->step(i); },
                   [of](uint32_t i) { return of->list(of->grids, i); },
                   [of](uint32_t i) { return of->list(of->blocks, i); },
                   [of](uint32_t i) { return known(of->config(i).registers_per_thread, -1); },
                   [of](uint32_t i) { return known(of->config(i).static_shared_bytes, -1); },
                   [of](uint32_t i) { return known(dynamic_shared_bytes(of->config(i)), -1); },
                   [of](uint32_t i) { return known(of->config(i).shared_memory_bytes, -1); },
                   [of](uint32_t i) {
                       const Occupancy* const footprint = of->footprint[i];
                       return footprint ? Cell(footprint->theoretical) : Cell();
                   },
                   [of](uint32_t i) { return of->limiter(i); },
                   [of](uint32_t i) { return known(of->config(i).kineto_occupancy_percent, -1); },
                   [of](uint32_t i) {
                       const Occupancy* const footprint = of->footprint[i];
                       return footprint ? Cell(footprint->waves) : Cell();
                   },
                   [of](uint32_t i) { return Cell(int64_t{of->planned[i]}); },
                   [of](uint32_t i) { return of->costs(i).flop_cell(); },
                   [of](uint32_t i) { return of->costs(i).bytes_cell(); },
                   [of](uint32_t i) { return of->costs(i).floor_cell(); },
                   [of](uint32_t i) { return of->costs(i).lost_cell(); },
                   [of](uint32_t i) { return of->costs(i).bound_cell(); },
                   [of](uint32_t i) { return name_cell(of->trace, of->attribution.op[i]); },
                   [of](uint32_t i) { return of->why_no_operator(i); },
                   [of](uint32_t i) {
                       return of->gpu.correlation.empty() ? Cell()
                                                          : known(of->gpu.correlation[i], kNoValue);
                   },
                   [of](uint32_t i) { return of->costs(i).uncertain_cell(); }},
                  [of](uint32_t i) {
                      return RowTarget{of->slice(i), {}};
                  }});
}

}  // namespace lanescope
