// The tables of kernels, copies and sets by name and launch configuration.
#include <vector>

#include "core/analysis/gpu/occupancy_queries.h"
#include "core/analysis/kernels/kernel_columns.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/structure/kernel_families.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/short_names.h"
#include "core/analysis/work/cost_sums.h"
#include "core/analysis/work/work_models.h"

namespace lanescope {

// The activities of one name, or of one name and launch configuration.
struct KernelTableRow {
    const TraceContext& context;
    const KernelRow& kernel;
    const Trace& trace = context.trace();
    CostSums sums = {};
    int64_t planned = 0;
    // The only configuration, if there is one.
    bool has_config = kernel.config != kNoRow;
    LaunchConfig config = has_config ? trace.launch_configs[kernel.config] : LaunchConfig();
    Triple grid = triple(config.grid);
    Triple block = triple(config.block);

    std::string_view short_name() const { return context.get<ShortNames>().of(trace, kernel.name); }
    KernelFamily family() const { return context.get<KernelFamilies>().of(trace, kernel.members); }
    uint32_t process_row() const { return kernel.process; }
    const CostSums& costs() const { return sums; }
    std::optional<int64_t> uncertain() const { return sums.known_uncertain(); }
    std::optional<std::span<const int64_t>> list(const Triple& values) const {
        return has_config ? std::optional(std::span<const int64_t>(values)) : std::nullopt;
    }
};

namespace {

constexpr auto kGroupColumns = columns<KernelTableRow>({
    {kName, [](const KernelTableRow& row) { return row.trace.strings[row.kernel.name]; }},
    kShortNameColumn,
    {kKind, [](const KernelTableRow& row) { return kind_of(row.trace, row.kernel.longest); }},
    kFamily,
    {kDevice, [](const KernelTableRow& row) { return known(row.kernel.device, kNoValue); }},
    {{"stream", Unit::none, kDistinct, "several, or not recorded", "Id of the stream."},
     [](const KernelTableRow& row) { return known(row.kernel.stream, kNoValue); }},
    {shown_first({"calls", Unit::count, kSum, "", "Instances that begin in the range."}),
     [](const KernelTableRow& row) { return row.kernel.durations.count; }},
    {shown_first({"total_ns", Unit::nanoseconds, kSum, "", "Sum of their durations."}),
     [](const KernelTableRow& row) { return row.kernel.durations.total; }},
    {shown_first({"share", Unit::ratio, kNoAggregate, "no activity took any time",
                  "Part of the time of all kernels, copies and sets of the device in the range."}),
     [](const KernelTableRow& row) { return row.kernel.share; }},
    {shown_first({"mean_ns", Unit::nanoseconds, mean_by("calls"), "", "Mean duration."}),
     [](const KernelTableRow& row) { return row.kernel.durations.mean; }},
    {{"sd_ns", Unit::nanoseconds, kNoAggregate, "a single instance", "Standard deviation (n - 1).",
      Priority::detail},
     [](const KernelTableRow& row) { return row.kernel.durations.sd; }},
    {{"ci95_ns", Unit::nanoseconds, kNoAggregate, "a single instance",
      "Half width of the 95 % confidence interval of the mean, by Student's t.", Priority::detail},
     [](const KernelTableRow& row) { return row.kernel.durations.ci95; }},
    {{"min_ns", Unit::nanoseconds, kMin, "", "Shortest."},
     [](const KernelTableRow& row) { return row.kernel.durations.min; }},
    {{"p50_ns", Unit::nanoseconds, kNoAggregate, "", "Median."},
     [](const KernelTableRow& row) { return row.kernel.durations.p50; }},
    {{"p90_ns", Unit::nanoseconds, kNoAggregate, "",
      "90 % are at most as long; between two instances by linear interpolation."},
     [](const KernelTableRow& row) { return row.kernel.durations.p90; }},
    {{"p99_ns", Unit::nanoseconds, kNoAggregate, "", "99 % are at most as long."},
     [](const KernelTableRow& row) { return row.kernel.durations.p99; }},
    {{"max_ns", Unit::nanoseconds, kMax, "", "Longest."},
     [](const KernelTableRow& row) { return row.kernel.durations.max; }},
    {{"outliers", Unit::count, kSum, "",
      "Instances over p50 + 3 × 1.4826 × median absolute deviation."},
     [](const KernelTableRow& row) { return row.kernel.durations.outliers; }},
    {on_request({"warm_up", Unit::count, kSum, "",
                 "Leading instances, each above that limit of the instances after it."}),
     [](const KernelTableRow& row) { return row.kernel.warm_up; }},
    {on_request({"drift", Unit::ratio, kNoAggregate, "fewer than eight instances",
                 "How much longer the median of the last quarter of instances is than the first "
                 "quarter's, as "
                 "a "
                 "part of the first; warm-up left out."}),
     [](const KernelTableRow& row) { return row.kernel.drift; }},
    {on_request({"configs", Unit::count, kNoAggregate, "",
                 "Number of different launch configurations; more than one: mixed."}),
     [](const KernelTableRow& row) { return row.kernel.configs; }},
    {{"grid", Unit::none, kDistinct, "not recorded, or mixed", "Blocks in x, y, z."},
     [](const KernelTableRow& row) { return row.list(row.grid); }},
    {{"block", Unit::none, kDistinct, "not recorded, or mixed", "Threads of a block in x, y, z."},
     [](const KernelTableRow& row) { return row.list(row.block); }},
    {kRegisters, [](const KernelTableRow& row) { return row.kernel.registers; }},
    {kStaticShared, [](const KernelTableRow& row) { return row.kernel.static_shared_bytes; }},
    {kDynamicShared, [](const KernelTableRow& row) { return row.kernel.dynamic_shared_bytes; }},
    {kShared, [](const KernelTableRow& row) { return row.kernel.shared_bytes; }},
    {kOccupancy, [](const KernelTableRow& row) { return row.kernel.occupancy; }},
    {kLimiter, [](const KernelTableRow& row) { return known_text(row.kernel.limiter); }},
    {kProfilersOccupancy,
     [](const KernelTableRow& row) { return row.kernel.kineto_occupancy_percent; }},
    {kWaves, [](const KernelTableRow& row) { return row.kernel.waves; }},
    {kPlanned, [](const KernelTableRow& row) { return row.planned; }},
    kFlop,
    kBytes,
    kFloor,
    kLost,
    kBound,
    {shown_first({"operator", Unit::none, kDistinct, "none is known",
                  "The operator that launched most of its time."}),
     [](const KernelTableRow& row) { return known_name(row.trace, row.kernel.op); }},
    {on_request(
         {"operators", Unit::count, kNoAggregate, "", "Different operators that launched it."}),
     [](const KernelTableRow& row) { return row.kernel.operators; }},
    kUncertainColumn,
    kProcessColumn,
});

RowTarget longest_of(const KernelTableRow& row) {
    return {row.kernel.longest, {}};
}

Table grouped_table(const TableOf<KernelTableRow>& declaration, const TraceContext& context,
                    const std::vector<KernelRow>& rows) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    const std::vector<uint8_t>& planned = context.get<PlannedByQuery>().by_row;
    TableBuilder table(declaration);
    for (const KernelRow& row : rows) {
        KernelTableRow made{context, row};
        for (const uint32_t member : row.members) {
            made.sums.add(models.costs[member], trace.duration(trace.gpu_activities.slice[member]));
            made.planned += planned[member];
        }
        table.add(made);
    }
    return table.take();
}

}  // namespace

const TableOf<KernelTableRow> kKernelsTable = {
    {"kernels", "Kernels, copies and sets: how often each ran, and how long it took."},
    kGroupColumns,
    longest_of};
const TableOf<KernelTableRow> kKernelsByConfigTable = {
    {"kernels", "Kernels by name and launch configuration.", "config"}, kGroupColumns, longest_of};
Table kernels_table(const TraceContext& context, const TableQuery& query) {
    if (!query.range) return grouped_table(kKernelsTable, context, context.get<AllKernels>().rows);
    return grouped_table(kKernelsTable, context, kernel_rows(context, query, KernelGrouping::name));
}

Table kernels_by_config_table(const TraceContext& context, const TableQuery& query) {
    return grouped_table(kKernelsByConfigTable, context,
                         kernel_rows(context, query, KernelGrouping::config));
}

}  // namespace lanescope
