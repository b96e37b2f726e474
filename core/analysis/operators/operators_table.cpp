// The tables of core/analysis/operators/operators.h.
#include <optional>
#include <string_view>

#include "core/analysis/operators/operators.h"
#include "core/table/cells.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

constexpr std::string_view kNoTimes = "the file has no times of calls";

std::string_view kind_name(TorchRow kind) {
    switch (kind) {
        case TorchRow::annotation:
            return "annotation";
        case TorchRow::device:
            return "device";
        case TorchRow::device_annotation:
            return "device annotation";
        default:
            return "cpu";
    }
}

}  // namespace

struct OperatorTableRow {
    const Trace& trace;
    const OperatorRows& all;
    const OperatorRow& sums;
    bool has_memory = !trace.memory_events.time.empty();
    std::string compact = compact_name(name());

    std::string_view name() const {
        return sums.name == folded_step_name(trace) ? std::string_view("ProfilerStep*")
                                                    : trace.strings[sums.name];
    }
    std::string_view short_name() const { return compact; }

    // Shapes, stack, module, step or thread.
    std::optional<std::string_view> group() const {
        return sums.group == 0 ? std::nullopt
                               : std::optional(std::string_view(all.groups[sums.group]));
    }
    // Ranges and device activities have measured times, calls may have none.
    std::optional<Nanos> cpu(Nanos time) const {
        const bool is_known = trace.facts.calls_have_times || sums.kind != TorchRow::cpu;
        return is_known ? std::optional(time) : std::nullopt;
    }
    std::optional<int64_t> memory(int64_t bytes) const {
        return has_memory ? std::optional(bytes) : std::nullopt;
    }
};

namespace {

// Name and group together identify a row.
constexpr auto kNameColumn = columns<OperatorTableRow>({
    {{"name", Unit::none, kDistinct, "",
      "Operator, annotation, runtime call or device activity; ProfilerStep#N are one, "
      "ProfilerStep*."},
     [](const OperatorTableRow& row) { return row.name(); }},
    kShortNameColumn,
});

constexpr auto kShapeColumn = columns<OperatorTableRow>({
    {{"input_shapes", Unit::none, kDistinct, "",
      "Shapes of the inputs as torch writes them; [] for inputs without a shape."},
     [](const OperatorTableRow& row) { return row.group().value_or("[]"); }},
});
constexpr auto kStackColumn = columns<OperatorTableRow>({
    {{"stack", Unit::none, kDistinct, "no Python frame around it",
      "The recorded call stack, or the Python frames around it, the innermost first."},
     [](const OperatorTableRow& row) { return row.group(); }},
});
constexpr auto kModuleColumn = columns<OperatorTableRow>({
    {{"module", Unit::none, kDistinct, "in no module",
      "The recorded module, or the innermost nn.Module around it."},
     [](const OperatorTableRow& row) { return row.group(); }},
});
constexpr auto kStepColumn = columns<OperatorTableRow>({
    {{"step", Unit::none, kDistinct, "in no step", "The step in which it began."},
     [](const OperatorTableRow& row) { return row.group(); }},
});
constexpr auto kThreadColumn = columns<OperatorTableRow>({
    {{"thread", Unit::none, kDistinct, "", "The thread or stream it ran on."},
     [](const OperatorTableRow& row) { return row.group().value_or(""); }},
});

constexpr auto kSumColumns = columns<OperatorTableRow>({
    {{"kind", Unit::none, kDistinct, "",
      "cpu, annotation, device (kernels, copies, sets), or device annotation."},
     [](const OperatorTableRow& row) { return kind_name(row.sums.kind); }},
    {shown_first({"calls", Unit::count, kSum, "", "How often; torch's \"# of Calls\"."}),
     [](const OperatorTableRow& row) { return row.sums.calls; }},
    {{"replayed_calls", Unit::count, kSum, "",
      "How often a graph replay repeated it; of these calls only the times by launch are known."},
     [](const OperatorTableRow& row) { return row.sums.replayed_calls; }},
    {shown_first({"cpu_total_ns", Unit::nanoseconds, kNoAggregate, kNoTimes,
                  "Time on the CPU; 0 for device activities, as in torch."}),
     [](const OperatorTableRow& row) { return row.cpu(row.sums.cpu_total); }},
    {shown_first(
         {"cpu_self_ns", Unit::nanoseconds, kSum, kNoTimes, "The same without its callees."}),
     [](const OperatorTableRow& row) { return row.cpu(row.sums.cpu_self); }},
    {shown_first(
         {"device_total_ns", Unit::nanoseconds, kNoAggregate, "",
          "Durations of the GPU activities with its External id or one below it, added up; of a "
          "device "
          "activity its own."}),
     [](const OperatorTableRow& row) { return row.sums.device_total; }},
    {shown_first({"device_self_ns", Unit::nanoseconds, kSum, "", "The same without its callees."}),
     [](const OperatorTableRow& row) { return row.sums.device_self; }},
    {{"device_total_by_launch_ns", Unit::nanoseconds, kNoAggregate, "",
      "Like device_total_ns, but by the operator that launched each activity instead of by id."},
     [](const OperatorTableRow& row) { return row.sums.device_total_by_launch; }},
    {{"device_self_by_launch_ns", Unit::nanoseconds, kSum, "",
      "Like device_self_ns, but by the operator that launched each activity instead of by id."},
     [](const OperatorTableRow& row) { return row.sums.device_self_by_launch; }},
    {{"cpu_memory_bytes", Unit::bytes, kNoAggregate, "no memory recorded",
      "Bytes of CPU memory allocated minus bytes freed while it ran."},
     [](const OperatorTableRow& row) { return row.memory(row.sums.memory_total[0]); }},
    {{"cpu_self_memory_bytes", Unit::bytes, kSum, "no memory recorded",
      "The same without its callees."},
     [](const OperatorTableRow& row) { return row.memory(row.sums.memory_self[0]); }},
    {{"device_memory_bytes", Unit::bytes, kNoAggregate, "no memory recorded",
      "Bytes of device memory allocated minus bytes freed while it ran."},
     [](const OperatorTableRow& row) { return row.memory(row.sums.memory_total[1]); }},
    {{"device_self_memory_bytes", Unit::bytes, kSum, "no memory recorded",
      "The same without its callees."},
     [](const OperatorTableRow& row) { return row.memory(row.sums.memory_self[1]); }},
    {{"flop", Unit::flop, kSum, "no formula of torch's, or no shapes",
      "Work by torch's with_flops formulas: mm, addmm, bmm, baddbmm, conv2d, mul, add."},
     [](const OperatorTableRow& row) { return row.sums.flop; }},
});

constexpr auto kOperatorColumns = joined(kNameColumn, kSumColumns);
constexpr auto kShapeColumns = joined(kNameColumn, kShapeColumn, kSumColumns);
constexpr auto kStackColumns = joined(kNameColumn, kStackColumn, kSumColumns);
constexpr auto kModuleColumns = joined(kNameColumn, kModuleColumn, kSumColumns);
constexpr auto kStepColumns = joined(kNameColumn, kStepColumn, kSumColumns);
constexpr auto kThreadColumns = joined(kNameColumn, kThreadColumn, kSumColumns);

constexpr TableText text_by(std::string_view by) {
    return {"operators",
            "Calls, time, memory and work of every operator, as torch.profiler counts them.", by};
}

RowTarget longest_of(const OperatorTableRow& row) {
    return {row.sums.longest, {}};
}

}  // namespace

// Totals include callees, which have rows of their own: they have no aggregate.
const TableOf<OperatorTableRow> kOperatorsTable = {text_by({}), kOperatorColumns, longest_of};
const TableOf<OperatorTableRow> kOperatorsByShapeTable = {text_by("shape"), kShapeColumns,
                                                          longest_of};
const TableOf<OperatorTableRow> kOperatorsByStackTable = {text_by("stack"), kStackColumns,
                                                          longest_of};
const TableOf<OperatorTableRow> kOperatorsByModuleTable = {text_by("module"), kModuleColumns,
                                                           longest_of};
const TableOf<OperatorTableRow> kOperatorsByStepTable = {text_by("step"), kStepColumns, longest_of};
const TableOf<OperatorTableRow> kOperatorsByThreadTable = {text_by("thread"), kThreadColumns,
                                                           longest_of};

namespace {

const TableOf<OperatorTableRow>& table_by(OperatorsBy grouping) {
    switch (grouping) {
        case OperatorsBy::shape:
            return kOperatorsByShapeTable;
        case OperatorsBy::stack:
            return kOperatorsByStackTable;
        case OperatorsBy::module:
            return kOperatorsByModuleTable;
        case OperatorsBy::step:
            return kOperatorsByStepTable;
        case OperatorsBy::thread:
            return kOperatorsByThreadTable;
        case OperatorsBy::name:
            break;
    }
    return kOperatorsTable;
}

}  // namespace

template <OperatorsBy grouping>
Table operators_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const OperatorRows all = operator_rows(context, grouping, query.range);
    TableBuilder table(table_by(grouping));
    for (const OperatorRow& row : all.rows) table.add({trace, all, row});
    return table.take();
}

template Table operators_table<OperatorsBy::name>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::shape>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::stack>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::module>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::step>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::thread>(const TraceContext&, const TableQuery&);

}  // namespace lanescope
