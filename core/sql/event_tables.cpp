// Tables with a row for each GPU activity, runtime call, operator call, annotation, step and gap.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/kernel_families.h"
#include "core/analysis/structure/short_names.h"
#include "core/analysis/structure/step_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/export/tables/findings_writer.h"
#include "core/sql/source.h"
#include "core/sql/tables.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

constexpr std::string_view kNotRecorded = "not recorded";
constexpr std::string_view kNoLaunch = "the file has no call that launched it";

template <typename T>
std::optional<int64_t> entry(const Column<T>& column, uint32_t row, T unknown) {
    if (column.empty() || column[row] == unknown) return std::nullopt;
    return static_cast<int64_t>(column[row]);
}

// The values that every row about a slice has.
struct SqlEvent {
    SqlEvent(const SqlSource& source_, SliceRef slice_)
        : source(source_), trace(source_.trace), slice(slice_) {}

    uint32_t id() const { return source.slices.id_of(slice); }
    std::string_view category() const {
        const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
        return trace.strings[trace.categories[chunk->category[i]].name];
    }
    std::string_view short_name() const {
        return source.context.get<ShortNames>().of(trace, trace.name_id(slice));
    }
    std::optional<int64_t> step_at(SliceRef call) const {
        return step_index(source.context.get<Steps>(), trace.lanes[call.lane].process,
                          trace.start(call));
    }
    std::optional<uint32_t> id_of(SliceRef other) const {
        return other ? std::optional(source.slices.id_of(other)) : std::nullopt;
    }

    const SqlSource& source;
    const Trace& trace;
    SliceRef slice;
};

}  // namespace

struct SqlActivityRow : SqlEvent {
    SqlActivityRow(const SqlSource& source_, uint32_t row_)
        : SqlEvent(source_, source_.trace.gpu_activities.slice[row_]), row(row_) {}

    const GpuActivities& table() const { return trace.gpu_activities; }
    const LaunchConfig* config() const {
        const auto& configs = table().config;
        return configs.empty() || configs[row] == kNoRow ? nullptr
                                                         : &trace.launch_configs[configs[row]];
    }
    std::optional<int64_t> grid(unsigned axis) const {
        return config() ? std::optional<int64_t>(config()->grid[axis]) : std::nullopt;
    }
    std::optional<int64_t> block(unsigned axis) const {
        return config() ? std::optional<int64_t>(config()->block[axis]) : std::nullopt;
    }
    std::optional<int64_t> device() const {
        const auto recorded = entry(table().device, row, -1);
        return recorded ? recorded
                        : known(trace.processes[trace.lanes[slice.lane].process].device, -1);
    }
    const Attribution& attribution() const { return source.context.get<Attribution>(); }
    SliceRef launch() const { return attribution().launch[row]; }
    // The operator, unless it is a captured call: those are no slices of the file.
    std::optional<uint32_t> operator_id() const {
        const SliceRef op = attribution().op[row];
        return op && !trace.lanes[op.lane].derived ? id_of(op) : std::nullopt;
    }

    uint32_t row = 0;
};

struct SqlRuntimeRow : SqlEvent {
    SqlRuntimeRow(const SqlSource& source_, uint32_t row_)
        : SqlEvent(source_, source_.trace.runtime_calls.slice[row_]), row(row_) {}
    uint32_t row = 0;
};

struct SqlOperatorRow : SqlEvent {
    SqlOperatorRow(const SqlSource& source_, uint32_t row_)
        : SqlEvent(source_, source_.trace.operators.slice[row_]), row(row_) {}

    std::optional<std::string_view> text(const Column<StringId>& column) const {
        return column.empty() ? std::nullopt : known_text(trace.strings[column[row]]);
    }
    uint32_t row = 0;
};

struct SqlStepRow {
    const SqlSource& source;
    uint32_t id = 0;
    const Step& step = source.context.get<Steps>().all[id];
    const DeviceStep& on_device = source.context.get<DeviceSteps>().all[id];
    std::string label = step_label(source.trace, source.context.get<Steps>(), id);

    std::optional<Nanos> on_gpu(Nanos value) const {
        return on_device.has_work ? std::optional(value) : std::nullopt;
    }
    std::optional<uint32_t> slice() const {
        return step.slice ? std::optional(source.slices.id_of(step.slice)) : std::nullopt;
    }
};

struct SqlGapRow {
    const SqlSource& source;
    uint32_t id = 0;
    const IdleGap& gap = source.context.get<AllIdleGaps>().rows[id];

    uint32_t activity(uint32_t row) const {
        return source.slices.id_of(source.trace.gpu_activities.slice[row]);
    }
    std::optional<uint32_t> id_of(SliceRef slice) const {
        return slice ? std::optional(source.slices.id_of(slice)) : std::nullopt;
    }
};

namespace {

template <typename Row>
constexpr auto kEventColumns = columns<Row>({
    {{"id", Unit::none, kNoAggregate, "", "Id of the slice."},
     [](const Row& row) { return row.id(); }},
    {{"ts", Unit::none, kNoAggregate, "", "When it began, in ns as in slice."},
     [](const Row& row) { return row.trace.start(row.slice); }},
    {{"dur", Unit::none, kNoAggregate, "", "How long it took, in ns."},
     [](const Row& row) { return row.trace.duration(row.slice); }},
    {{"track_id", Unit::none, kNoAggregate, "", "Its track."},
     [](const Row& row) { return row.slice.lane; }},
    {{"name", Unit::none, kNoAggregate, "", "Its name."},
     [](const Row& row) { return row.trace.name(row.slice); }},
    {{"category", Unit::none, kNoAggregate, "", "Its category in the file."},
     [](const Row& row) { return row.category(); }},
});

constexpr auto kActivityOwn = columns<SqlActivityRow>({
    {{"short_name", Unit::none, kNoAggregate, "", "The name without namespaces and parameters."},
     [](const SqlActivityRow& row) { return row.short_name(); }},
    {{"family", Unit::none, kNoAggregate, "", "What it is for: see table kernels."},
     [](const SqlActivityRow& row) {
         return family_name(row.source.context.get<KernelFamilies>().by_row[row.row]);
     }},
    {{"device", Unit::none, kNoAggregate, kNotRecorded, "Number of the GPU."},
     [](const SqlActivityRow& row) { return row.device(); }},
    {{"stream", Unit::none, kNoAggregate, kNotRecorded, "Number of the stream."},
     [](const SqlActivityRow& row) { return entry(row.table().stream, row.row, -1); }},
    {{"correlation", Unit::none, kNoAggregate, kNotRecorded, "Shared with the launching call."},
     [](const SqlActivityRow& row) { return entry(row.table().correlation, row.row, kNoValue); }},
    {{"external_id", Unit::none, kNoAggregate, kNotRecorded, "Shared with the operator."},
     [](const SqlActivityRow& row) { return entry(row.table().external_id, row.row, kNoValue); }},
    {{"launch_id", Unit::none, kNoAggregate, kNoLaunch, "Id of the call that launched it."},
     [](const SqlActivityRow& row) { return row.id_of(row.launch()); }},
    {{"operator_id", Unit::none, kNoAggregate,
      "no operator launched it, or one that was captured into a graph",
      "Id of the innermost operator that launched it."},
     [](const SqlActivityRow& row) { return row.operator_id(); }},
    {{"operator", Unit::none, kNoAggregate, "no operator is known",
      "Name of the innermost operator that launched it, also when its graph was captured."},
     [](const SqlActivityRow& row) {
         return known_name(row.trace, row.attribution().op[row.row]);
     }},
    {{"attributed_by", Unit::none, kNoAggregate, "no operator is known",
      "How the operator was found: see table kernels by instance."},
     [](const SqlActivityRow& row) {
         return known_text(attributed_by(row.trace, row.attribution(), row.row));
     }},
    {{"step", Unit::none, kNoAggregate,
      "it was launched outside steps, or its launch is not recorded",
      "Number of the step in which it was launched."},
     [](const SqlActivityRow& row) {
         const uint32_t step = row.source.context.get<DeviceSteps>().step_of_work[row.row];
         return step == kNoRow ? std::nullopt
                               : std::optional(row.source.context.get<Steps>().all[step].index);
     }},
    {{"grid_x", Unit::none, kNoAggregate, kNotRecorded, "Blocks in x."},
     [](const SqlActivityRow& row) { return row.grid(0); }},
    {{"grid_y", Unit::none, kNoAggregate, kNotRecorded, "Blocks in y."},
     [](const SqlActivityRow& row) { return row.grid(1); }},
    {{"grid_z", Unit::none, kNoAggregate, kNotRecorded, "Blocks in z."},
     [](const SqlActivityRow& row) { return row.grid(2); }},
    {{"block_x", Unit::none, kNoAggregate, kNotRecorded, "Threads of a block in x."},
     [](const SqlActivityRow& row) { return row.block(0); }},
    {{"block_y", Unit::none, kNoAggregate, kNotRecorded, "Threads of a block in y."},
     [](const SqlActivityRow& row) { return row.block(1); }},
    {{"block_z", Unit::none, kNoAggregate, kNotRecorded, "Threads of a block in z."},
     [](const SqlActivityRow& row) { return row.block(2); }},
    {{"registers_per_thread", Unit::none, kNoAggregate, kNotRecorded, "Registers of a thread."},
     [](const SqlActivityRow& row) {
         return row.config() ? known(row.config()->registers_per_thread, -1) : std::nullopt;
     }},
    {{"shared_memory_bytes", Unit::none, kNoAggregate, kNotRecorded, "Shared memory of a block."},
     [](const SqlActivityRow& row) {
         return row.config() ? known(row.config()->shared_memory_bytes, -1) : std::nullopt;
     }},
    {{"bytes", Unit::none, kNoAggregate, "it is no copy or set", "Size of a copy or set."},
     [](const SqlActivityRow& row) { return entry(row.table().bytes, row.row, kNoValue); }},
    {{"graph_node", Unit::none, kNoAggregate, "it is not in a CUDA graph", "The graph's node."},
     [](const SqlActivityRow& row) { return entry(row.table().graph_node, row.row, kNoValue); }},
});
constexpr auto kActivityColumns = joined(kEventColumns<SqlActivityRow>, kActivityOwn);
constexpr TableOf<SqlActivityRow> kActivityTable = {
    {"gpu_activity", "Kernels, copies and sets on GPUs."}, kActivityColumns};

constexpr auto kRuntimeOwn = columns<SqlRuntimeRow>({
    {{"correlation", Unit::none, kNoAggregate, kNotRecorded, "Shared with what it launched."},
     [](const SqlRuntimeRow& row) {
         return entry(row.trace.runtime_calls.correlation, row.row, kNoValue);
     }},
    {{"external_id", Unit::none, kNoAggregate, kNotRecorded, "Shared with the operator."},
     [](const SqlRuntimeRow& row) {
         return entry(row.trace.runtime_calls.external_id, row.row, kNoValue);
     }},
});
constexpr auto kRuntimeColumns = joined(kEventColumns<SqlRuntimeRow>, kRuntimeOwn);
constexpr TableOf<SqlRuntimeRow> kRuntimeTable = {
    {"runtime_call", "Calls of the CUDA or HIP runtime and driver."}, kRuntimeColumns};

constexpr auto kOperatorOwn = columns<SqlOperatorRow>({
    {{"step", Unit::none, kNoAggregate, "it is outside steps", "Number of its step."},
     [](const SqlOperatorRow& row) { return row.step_at(row.slice); }},
    {{"external_id", Unit::none, kNoAggregate, kNotRecorded, "Shared with what it launched."},
     [](const SqlOperatorRow& row) {
         return entry(row.trace.operators.external_id, row.row, kNoValue);
     }},
    {{"sequence", Unit::none, kNoAggregate, kNotRecorded, "Number shared with its backward."},
     [](const SqlOperatorRow& row) {
         return entry(row.trace.operators.sequence, row.row, kNoValue);
     }},
    {{"input_dims", Unit::none, kNoAggregate, kNotRecorded, "Shapes, as in the file."},
     [](const SqlOperatorRow& row) { return row.text(row.trace.operators.input_dims); }},
    {{"input_types", Unit::none, kNoAggregate, kNotRecorded, "Types, as in the file."},
     [](const SqlOperatorRow& row) { return row.text(row.trace.operators.input_types); }},
    {{"concrete_inputs", Unit::none, kNoAggregate, kNotRecorded, "Values, as in the file."},
     [](const SqlOperatorRow& row) { return row.text(row.trace.operators.concrete_inputs); }},
    {{"call_stack", Unit::none, kNoAggregate, kNotRecorded, "Python's call stack."},
     [](const SqlOperatorRow& row) { return row.text(row.trace.operators.call_stack); }},
    {{"module_hierarchy", Unit::none, kNoAggregate, kNotRecorded, "Its modules."},
     [](const SqlOperatorRow& row) { return row.text(row.trace.operators.module_hierarchy); }},
});
constexpr auto kOperatorColumns = joined(kEventColumns<SqlOperatorRow>, kOperatorOwn);
constexpr TableOf<SqlOperatorRow> kOperatorTable = {{"operator_call", "Calls of operators."},
                                                    kOperatorColumns};
constexpr TableOf<SqlOperatorRow> kAnnotationTable = {{"annotation", "Annotations of users."},
                                                      kOperatorColumns};

constexpr std::string_view kNoWorkOfStep = "it launched no GPU work";

constexpr auto kStepColumns = columns<SqlStepRow>({
    {{"id", Unit::none, kNoAggregate, "", "Number of the row."},
     [](const SqlStepRow& row) { return row.id; }},
    {{"ts", Unit::none, kNoAggregate, "", "When it began, in ns as in slice."},
     [](const SqlStepRow& row) { return row.step.range.begin; }},
    {{"dur", Unit::none, kNoAggregate, "", "How long it took on the host, in ns."},
     [](const SqlStepRow& row) { return row.step.range.length(); }},
    {{"device_ts", Unit::none, kNoAggregate, kNoWorkOfStep,
      "When its time on the GPU began, in ns as in slice: at the end of the previous step's work."},
     [](const SqlStepRow& row) { return row.on_gpu(row.on_device.device.begin); }},
    {{"device_dur", Unit::none, kNoAggregate, kNoWorkOfStep,
      "The time from there to the end of the work that the step launched, in ns."},
     [](const SqlStepRow& row) { return row.on_gpu(row.on_device.device.length()); }},
    {{"name", Unit::none, kNoAggregate, "", "Its name."},
     [](const SqlStepRow& row) { return std::string_view(row.label); }},
    {{"window", Unit::none, kNoAggregate, "", "The recorded window that it is of."},
     [](const SqlStepRow& row) { return row.step.window; }},
    {{"step", Unit::none, kNoAggregate, "", "Its number, as in the other tables."},
     [](const SqlStepRow& row) { return row.step.index; }},
    {{"upid", Unit::none, kNoAggregate, "", "Number of its process."},
     [](const SqlStepRow& row) { return row.step.process; }},
    {{"slice_id", Unit::none, kNoAggregate, "no slice has its range", "Id of its slice."},
     [](const SqlStepRow& row) { return row.slice(); }},
});
constexpr TableOf<SqlStepRow> kStepTable = {{"step", "Steps of training or inference."},
                                            kStepColumns};

constexpr auto kGapColumns = columns<SqlGapRow>({
    {{"id", Unit::none, kNoAggregate, "", "Number of the row: the longest gap is first."},
     [](const SqlGapRow& row) { return row.id; }},
    {{"ts", Unit::none, kNoAggregate, "", "When it began, in ns as in slice."},
     [](const SqlGapRow& row) { return row.gap.range.begin; }},
    {{"dur", Unit::none, kNoAggregate, "", "How long it took, in ns."},
     [](const SqlGapRow& row) { return row.gap.range.length(); }},
    {{"name", Unit::none, kNoAggregate, "the file has no launch of what follows", "Its cause."},
     [](const SqlGapRow& row) { return known_text(gap_cause_name(row.gap.cause)); }},
    {{"device", Unit::none, kNoAggregate, kNotRecorded, "Number of the GPU."},
     [](const SqlGapRow& row) { return known(row.gap.device, -1); }},
    {{"stream", Unit::none, kNoAggregate, "the whole device is idle", "Number of the stream."},
     [](const SqlGapRow& row) { return known(row.gap.stream, -1); }},
    {{"before_id", Unit::none, kNoAggregate, "", "Id of the slice that ended when it began."},
     [](const SqlGapRow& row) { return row.activity(row.gap.before); }},
    {{"after_id", Unit::none, kNoAggregate, "", "Id of the slice that began when it ended."},
     [](const SqlGapRow& row) { return row.activity(row.gap.after); }},
    {{"launch_id", Unit::none, kNoAggregate, kNoLaunch, "Id of the call that launched it."},
     [](const SqlGapRow& row) { return row.id_of(row.gap.launch); }},
    {{"host_call_id", Unit::none, kNoAggregate, "no call covers half of the gap",
      "Id of what the launching thread did."},
     [](const SqlGapRow& row) { return row.id_of(row.gap.host_call); }},
});
constexpr TableOf<SqlGapRow> kGapTable = {{"gap", "Idle gaps of GPUs and streams."}, kGapColumns};

template <typename Row, typename Keep>
Table event_rows(const SqlSource& source, const TableOf<Row>& declaration, std::size_t count,
                 const Keep& keep) {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < count; ++row)
        if (keep(row)) rows.push_back(row);
    return table_on_demand<Row>(declaration, std::move(rows),
                                [&source](uint32_t row) { return Row(source, row); });
}

bool all_rows(uint32_t) {
    return true;
}

Table operator_rows(const SqlSource& source, const TableOf<SqlOperatorRow>& declaration,
                    bool annotations) {
    const Trace& trace = source.trace;
    return event_rows(source, declaration, trace.operators.slice.size(), [&](uint32_t row) {
        if (trace.lanes[trace.operators.slice[row].lane].derived) return false;
        const EventClass kind = trace.event_class(trace.operators.slice[row]);
        return (kind == EventClass::annotation) == annotations;
    });
}

Table step_rows(const SqlSource& source) {
    TableBuilder<SqlStepRow> table(kStepTable);
    for (uint32_t id = 0; id < source.context.get<Steps>().all.size(); ++id)
        table.add({source, id});
    return table.take();
}

}  // namespace

const TableSpec* find_event_table(std::string_view name) {
    for (const TableSpec* spec :
         std::initializer_list<const TableSpec*>{&kActivityTable, &kRuntimeTable, &kOperatorTable,
                                                 &kAnnotationTable, &kStepTable, &kGapTable})
        if (spec->name == name) return spec;
    return nullptr;
}

void add_event_tables(const SqlSource& source, std::vector<SqlTable>& tables) {
    const auto add = [&](const TableSpec& spec, double rows, auto make) {
        tables.push_back({std::string(spec.name), &spec,
                          [make](SqlSource& from, const TableQuery&) { return make(from); }, false,
                          rows});
    };
    const Trace& trace = source.trace;
    const auto activities = static_cast<double>(trace.gpu_activities.slice.size());
    const auto operators = static_cast<double>(trace.operators.slice.size());
    add(kActivityTable, activities, [](const SqlSource& from) {
        return event_rows(from, kActivityTable, from.trace.gpu_activities.slice.size(), all_rows);
    });
    add(kRuntimeTable, static_cast<double>(trace.runtime_calls.slice.size()),
        [](const SqlSource& from) {
            return event_rows(from, kRuntimeTable, from.trace.runtime_calls.slice.size(), all_rows);
        });
    add(kOperatorTable, operators,
        [](const SqlSource& from) { return operator_rows(from, kOperatorTable, false); });
    add(kAnnotationTable, operators / 10 + 1,
        [](const SqlSource& from) { return operator_rows(from, kAnnotationTable, true); });
    add(kStepTable, 20, step_rows);
    add(kGapTable, activities, [](const SqlSource& from) {
        const std::size_t count = from.context.get<AllIdleGaps>().rows.size();
        std::vector<uint32_t> rows(count);
        for (uint32_t row = 0; row < count; ++row) rows[row] = row;
        return table_on_demand<SqlGapRow>(kGapTable, std::move(rows), [&from](uint32_t row) {
            return SqlGapRow{from, row};
        });
    });
    tables.push_back({"findings", &kFindingsTable,
                      [](SqlSource& from, const TableQuery& query) {
                          FindingsQuery all;
                          all.table = query;
                          return findings_table(from.context,
                                                find_all(from.context, Thresholds(), all));
                      },
                      true, 20});
}

}  // namespace lanescope
