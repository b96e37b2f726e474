#include "core/registry/tables.h"

#include <algorithm>
#include <array>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/compile/compile_tables.h"
#include "core/analysis/critical_path/critical_path.h"
#include "core/analysis/gpu/breakdown.h"
#include "core/analysis/gpu/breakdown_groups.h"
#include "core/analysis/gpu/dead_windows.h"
#include "core/analysis/gpu/gaps.h"
#include "core/analysis/gpu/hta_idle.h"
#include "core/analysis/gpu/launch_queue.h"
#include "core/analysis/gpu/launch_summary.h"
#include "core/analysis/gpu/launches.h"
#include "core/analysis/gpu/step_breakdown.h"
#include "core/analysis/gpu/step_times.h"
#include "core/analysis/gpu/synchronisations.h"
#include "core/analysis/kernels/graph_nodes.h"
#include "core/analysis/kernels/hotspots.h"
#include "core/analysis/kernels/kernel_families_table.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/memory/memory.h"
#include "core/analysis/modules/modules.h"
#include "core/analysis/operators/operators.h"
#include "core/analysis/ranks/rank_data.h"
#include "core/analysis/statistics/samples.h"
#include "core/analysis/statistics/sections.h"
#include "core/analysis/statistics/slices.h"
#include "core/analysis/structure/lanes.h"
#include "core/analysis/work/model_warnings.h"
#include "core/analysis/work/models.h"
#include "core/analysis/work/roofline.h"

namespace lanescope {

namespace {

Table make_lanes(const TraceContext& context, const TableQuery& query) {
    return lanes_table(context.trace(), query.range);
}

constexpr std::array kMakers = {
    TableMaker{&kBreakdownTable, breakdown_table},
    TableMaker{&kBreakdownByGroupTable, breakdown_by_group_table},
    TableMaker{&kBreakdownByTraceLensTable, breakdown_by_tracelens_table},
    TableMaker{&kCollectivesTable, collectives_table},
    TableMaker{&kCollectivesByCallTable, collectives_by_call_table},
    TableMaker{&kCollectivesByWorkTable, collectives_by_work_table},
    TableMaker{&kCompileTable, compile_table},
    TableMaker{&kCompileByGraphTable, compile_by_graph_table},
    TableMaker{&kCompileByKernelTable, compile_by_kernel_table},
    TableMaker{&kCompileByBreakTable, compile_by_break_table},
    TableMaker{&kCompileByRecompileTable, compile_by_recompile_table},
    TableMaker{&kCompileByLineTable, compile_by_line_table},
    TableMaker{&kCriticalPathTable, critical_path_table},
    TableMaker{&kCriticalPathByNameTable, critical_path_by_name_table},
    TableMaker{&kCriticalPathBySegmentTable, critical_path_by_segment_table},
    TableMaker{&kDeadWindowsTable, dead_windows_table},
    TableMaker{&kDeadWindowsByParentTable, dead_windows_by_parent_table},
    TableMaker{&kGapsTable, gaps_table},
    TableMaker{&kGapsByHtaTable, gaps_by_hta_table},
    TableMaker{&kHotspotsTable, hotspots_table},
    TableMaker{&kKernelsTable, kernels_table},
    TableMaker{&kKernelsByConfigTable, kernels_by_config_table},
    TableMaker{&kKernelsByFamilyTable, kernels_by_family_table},
    TableMaker{&kKernelsByInstanceTable, kernels_by_instance_table},
    TableMaker{&kKernelsByNodeTable, kernels_by_node_table},
    TableMaker{&kLanesTable, make_lanes},
    TableMaker{&kLaunchesTable, launches_table},
    TableMaker{&kLaunchesByQueueTable, launches_by_queue_table},
    TableMaker{&kLaunchesByStreamTable, launches_by_stream_table},
    TableMaker{&kLaunchesBySummaryTable, launches_by_summary_table},
    TableMaker{&kMemoryTable, memory_table},
    TableMaker{&kMemoryByDeviceTable, memory_by_device_table},
    TableMaker{&kMemoryByLargestTable, memory_by_largest_table},
    TableMaker{&kMemoryByModuleTable, memory_by_module_table},
    TableMaker{&kMemoryByOperatorTable, memory_by_operator_table},
    TableMaker{&kMemoryByStepTable, memory_by_step_table},
    TableMaker{&kMemoryByUnfreedTable, memory_by_unfreed_table},
    TableMaker{&kModelsTable, models_table},
    TableMaker{&kModelsByCoverageTable, models_by_coverage_table},
    TableMaker{&kModelsByWarningTable, models_by_warning_table},
    TableMaker{&kModelsByStepTable, models_by_step_table},
    TableMaker{&kModulesTable, modules_table},
    TableMaker{&kOperatorsTable, operators_table<OperatorsBy::name>},
    TableMaker{&kOperatorsByShapeTable, operators_table<OperatorsBy::shape>},
    TableMaker{&kOperatorsByStackTable, operators_table<OperatorsBy::stack>},
    TableMaker{&kOperatorsByModuleTable, operators_table<OperatorsBy::module>},
    TableMaker{&kOperatorsByStepTable, operators_table<OperatorsBy::step>},
    TableMaker{&kOperatorsByThreadTable, operators_table<OperatorsBy::thread>},
    TableMaker{&kRooflineTable, roofline_table},
    TableMaker{&kRooflineByRoofTable, roofline_by_roof_table},
    TableMaker{&kSamplesTable, samples_table},
    TableMaker{&kSamplesByCallerTable, samples_by_caller_table},
    TableMaker{&kSamplesByProcessTable, samples_by_process_table},
    TableMaker{&kSamplesByRangeTable, samples_by_range_table},
    TableMaker{&kSamplesByThreadTable, samples_by_thread_table},
    TableMaker{&kSectionsTable, sections_table},
    TableMaker{&kSlicesTable, slices_table},
    TableMaker{&kStepsTable, steps_table},
    TableMaker{&kStepsByBreakdownTable, steps_by_breakdown_table},
    TableMaker{&kSynchronisationsTable, synchronisations_table},
    TableMaker{&kSynchronisationsByCallTable, synchronisations_by_call_table},
    TableMaker{&kSynchronisationsByCauseTable, synchronisations_by_cause_table},
};

}  // namespace

std::span<const TableMaker> table_makers() {
    return kMakers;
}

std::string_view plain_form(std::string_view table) {
    if (table == kOperatorsTable.name || table == kKernelsTable.name) return "name";
    if (table == kCompileTable.name) return "frame";
    return table == kSamplesTable.name ? "function" : "";
}

std::vector<std::string_view> forms_of_table(std::string_view table) {
    std::vector<std::string_view> words;
    if (!plain_form(table).empty()) words.push_back(plain_form(table));
    for (const TableMaker& maker : kMakers)
        if (maker.spec->name == table && !maker.spec->by.empty()) words.push_back(maker.spec->by);
    return words;
}

const TableMaker* find_table_maker(std::string_view table, std::string_view by) {
    const auto* const found = std::find_if(
        kMakers.begin(), kMakers.end(),
        [&](const TableMaker& m) { return m.spec->name == table && m.spec->by == by; });
    return found == kMakers.end() ? nullptr : found;
}

}  // namespace lanescope
