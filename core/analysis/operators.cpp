#include "core/analysis/operators.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "core/analysis/operator_groups.h"
#include "core/analysis/torch_flops.h"
#include "core/base/flat_map.h"

namespace lanescope {

namespace {

constexpr std::array kColumns = {
    ColumnSpec{"name", ValueType::text, Unit::none, "",
               "Operator, annotation, runtime call or device activity; ProfilerStep#N are one, "
               "ProfilerStep*."},
    ColumnSpec{"kind", ValueType::text, Unit::none, "",
               "cpu, annotation, device (kernels, copies, sets), or device annotation."},
    ColumnSpec{"calls", ValueType::integer, Unit::count, "", "How often; torch's \"# of Calls\"."},
    ColumnSpec{"cpu_total_ns", ValueType::integer, Unit::nanoseconds, "",
               "Time on the CPU; 0 for device activities, as in torch."},
    ColumnSpec{"cpu_self_ns", ValueType::integer, Unit::nanoseconds, "",
               "The same without what it called."},
    ColumnSpec{"device_total_ns", ValueType::integer, Unit::nanoseconds, "",
               "Durations of the GPU activities with its External id or one below it, added up; of "
               "a device activity its own."},
    ColumnSpec{"device_self_ns", ValueType::integer, Unit::nanoseconds, "",
               "The same without what it called."},
    ColumnSpec{"device_total_by_launch_ns", ValueType::integer, Unit::nanoseconds, "",
               "As device_total_ns, by who launched each activity instead of by id."},
    ColumnSpec{"device_self_by_launch_ns", ValueType::integer, Unit::nanoseconds, "",
               "As device_self_ns, by who launched each activity instead of by id."},
    ColumnSpec{"cpu_memory_bytes", ValueType::integer, Unit::bytes, "no memory recorded",
               "Bytes of the CPU's memory taken less those freed while it ran."},
    ColumnSpec{"cpu_self_memory_bytes", ValueType::integer, Unit::bytes, "no memory recorded",
               "The same without what it called."},
    ColumnSpec{"device_memory_bytes", ValueType::integer, Unit::bytes, "no memory recorded",
               "Bytes of devices' memory taken less those freed while it ran."},
    ColumnSpec{"device_self_memory_bytes", ValueType::integer, Unit::bytes, "no memory recorded",
               "The same without what it called."},
    ColumnSpec{"flop", ValueType::integer, Unit::flop, "no formula of torch's, or no shapes",
               "Work by torch's with_flops formulas: mm, addmm, bmm, baddbmm, conv2d, mul, add."},
};

// Behind the name, since the two together tell rows apart.
constexpr auto with(ColumnSpec group) {
    std::array<ColumnSpec, kColumns.size() + 1> columns;
    columns[0] = kColumns[0];
    columns[1] = group;
    std::copy(kColumns.begin() + 1, kColumns.end(), columns.begin() + 2);
    return columns;
}

constexpr auto kShapeColumns = with({"input_shapes", ValueType::text, Unit::none, "",
                                     "Shapes of the inputs as torch writes them; [] where none."});
constexpr auto kStackColumns =
    with({"stack", ValueType::text, Unit::none, "no Python frame around it",
          "The recorded call stack, or the Python frames around it, the innermost first."});
constexpr auto kModuleColumns =
    with({"module", ValueType::text, Unit::none, "in no module",
          "The recorded module, or the innermost nn.Module around it."});
constexpr auto kStepColumns =
    with({"step", ValueType::text, Unit::none, "in no step", "The step in which it began."});
constexpr auto kThreadColumns =
    with({"thread", ValueType::text, Unit::none, "", "The thread or stream it ran on."});

class RowMaker {
  public:
    RowMaker(const TraceContext& context, OperatorsBy by, std::optional<TimeRange> range)
        : trace_(context.trace()), groups_(context, by), range_(range) {}

    void add(const TorchLane& lane) {
        for (const TorchEvent& event : lane.events) {
            if (range_ && !range_->contains(event.start)) continue;
            add(event, event.sums == TorchEvent::none ? nullptr : &lane.sums[event.sums]);
        }
    }

    OperatorRows take() && {
        std::sort(rows_.begin(), rows_.end(), [](const OperatorRow& a, const OperatorRow& b) {
            return std::tuple(a.first_start, -a.first_duration, a.first_source) <
                   std::tuple(b.first_start, -b.first_duration, b.first_source);
        });
        return {std::move(rows_), std::move(groups_).texts()};
    }

  private:
    OperatorRow& row_of(const TorchEvent& event) {
        const uint32_t group = groups_.group_of(event);
        const std::size_t name = std::size_t{event.name} * 4 + static_cast<std::size_t>(event.kind);
        if (group == 0) {
            if (plain_.empty()) plain_.assign((trace_.strings.size() + 1) * 4, kNoRow);
            if (plain_[name] == kNoRow) plain_[name] = new_row(event, group);
            return rows_[plain_[name]];
        }
        const auto [row, added] =
            grouped_.try_emplace(uint64_t{name} << 28 ^ group, static_cast<uint32_t>(rows_.size()));
        if (added) new_row(event, group);
        return rows_[row];
    }

    uint32_t new_row(const TorchEvent& event, uint32_t group) {
        OperatorRow row;
        row.name = event.name;
        row.kind = event.kind;
        row.group = group;
        row.first_start = event.start;
        row.first_duration = event.duration;
        row.first_source = source_of(event);
        rows_.push_back(row);
        return static_cast<uint32_t>(rows_.size() - 1);
    }

    // Where the file has it: the order of events that begin and end alike.
    uint64_t source_of(const TorchEvent& event) const {
        const auto [chunk, i] = trace_.lanes[event.slice.lane].locate(event.slice.index);
        return chunk->source.empty() ? event.slice.index : chunk->source[i];
    }

    bool is_first(const TorchEvent& event, const OperatorRow& row) const {
        if (event.start != row.first_start) return event.start < row.first_start;
        return std::tuple(-event.duration, source_of(event)) <
               std::tuple(-row.first_duration, row.first_source);
    }

    // `sums`: null for all zeros, as most have.
    void add(const TorchEvent& event, const TorchSums* sums) {
        OperatorRow& row = row_of(event);
        ++row.calls;
        if (event.duration > row.longest_duration) {
            row.longest = event.slice;
            row.longest_duration = event.duration;
        }
        if (is_first(event, row)) {
            row.first_start = event.start;
            row.first_duration = event.duration;
            row.first_source = source_of(event);
        }
        if (event.kind == TorchRow::device || event.kind == TorchRow::device_annotation) {
            for (Nanos* sum : {&row.device_total, &row.device_self, &row.device_total_by_launch,
                               &row.device_self_by_launch})
                *sum += event.duration;
            return;
        }
        row.cpu_total += event.duration;
        row.cpu_self += event.duration;
        if (sums) add_sums(row, *sums);
        if (const std::optional<int64_t> flop = flop_of(event))
            row.flop = row.flop.value_or(0) + *flop;
    }

    static void add_sums(OperatorRow& row, const TorchSums& of) {
        row.cpu_self -= of.child_duration;
        row.device_total += of.device_total;
        row.device_self += of.device_self;
        row.device_total_by_launch += of.by_launch_total;
        row.device_self_by_launch += of.by_launch_self;
        for (const int i : {0, 1}) {
            row.memory_total[i] += of.memory[i];
            row.memory_self[i] += of.memory[i] - of.child_memory[i];
        }
    }

    std::optional<int64_t> flop_of(const TorchEvent& event) {
        const Operators& ops = trace_.operators;
        if (event.operator_row == TorchEvent::none || ops.input_dims.empty() ||
            event.name >= trace_.strings.size())
            return std::nullopt;
        if (has_formula_.empty()) has_formula_.assign(trace_.strings.size(), 2);
        uint8_t& has = has_formula_[event.name];
        if (has == 2) has = has_torch_flops(trace_.strings[event.name]) ? 1 : 0;
        if (has == 0) return std::nullopt;
        const StringId dims = ops.input_dims[event.operator_row];
        const StringId concrete =
            ops.concrete_inputs.empty() ? StringId{0} : ops.concrete_inputs[event.operator_row];
        const std::tuple key(event.name, dims, concrete);
        const auto known = flops_.find(key);
        if (known != flops_.end()) return known->second;
        return flops_[key] = torch_flops(trace_.strings[event.name], trace_.strings[dims],
                                         trace_.strings[concrete]);
    }

    const Trace& trace_;
    OperatorGroups groups_;
    std::optional<TimeRange> range_;
    std::vector<OperatorRow> rows_;
    std::vector<uint32_t> plain_;  // rows without a group, by name and kind
    FlatMap<uint32_t> grouped_;
    std::vector<uint8_t> has_formula_;  // by name; 2: not asked yet
    std::map<std::tuple<StringId, StringId, StringId>, std::optional<int64_t>> flops_;
};

OperatorRows rows_by(const TraceContext& context, OperatorsBy by, std::optional<TimeRange> range) {
    RowMaker maker(context, by, range);
    for (const TorchLane& lane : context.torch_lanes()) maker.add(lane);
    return std::move(maker).take();
}

const TableSpec& spec_of(OperatorsBy by) {
    switch (by) {
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

Cell group_cell(const OperatorRows& all, const OperatorRow& row, OperatorsBy by) {
    if (row.group != 0) return std::string_view(all.groups[row.group]);
    return by == OperatorsBy::shape ? Cell(std::string_view("[]")) : Cell();
}

}  // namespace

const TableSpec kOperatorsTable = {
    "operators", "Calls, time, memory and work of every operator, as torch.profiler counts them.",
    kColumns};
const TableSpec kOperatorsByShapeTable = {kOperatorsTable.name, kOperatorsTable.about,
                                          kShapeColumns, "shape"};
const TableSpec kOperatorsByStackTable = {kOperatorsTable.name, kOperatorsTable.about,
                                          kStackColumns, "stack"};
const TableSpec kOperatorsByModuleTable = {kOperatorsTable.name, kOperatorsTable.about,
                                           kModuleColumns, "module"};
const TableSpec kOperatorsByStepTable = {kOperatorsTable.name, kOperatorsTable.about, kStepColumns,
                                         "step"};
const TableSpec kOperatorsByThreadTable = {kOperatorsTable.name, kOperatorsTable.about,
                                           kThreadColumns, "thread"};

OperatorRows operators_by_name(const TraceContext& context, std::optional<TimeRange> range) {
    return rows_by(context, OperatorsBy::name, range);
}

OperatorRows operator_rows(const TraceContext& context, OperatorsBy by,
                           std::optional<TimeRange> range) {
    if (OperatorGroups::has_any(context, by)) return rows_by(context, by, range);
    return range ? operators_by_name(context, range) : context.operators_by_name();
}

template <OperatorsBy by>
Table operators_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const OperatorRows all = operator_rows(context, by, query.range);
    const bool has_memory = !trace.memory_events.time.empty();
    Table table(spec_of(by));
    std::vector<Cell> cells;
    for (const OperatorRow& row : all.rows) {
        const auto memory = [&](int64_t bytes) { return has_memory ? Cell(bytes) : Cell(); };
        cells = {row.name == folded_step_name(trace) ? std::string_view("ProfilerStep*")
                                                     : trace.strings[row.name],
                 kind_name(row.kind),
                 row.calls,
                 row.cpu_total,
                 row.cpu_self,
                 row.device_total,
                 row.device_self,
                 row.device_total_by_launch,
                 row.device_self_by_launch,
                 memory(row.memory_total[0]),
                 memory(row.memory_self[0]),
                 memory(row.memory_total[1]),
                 memory(row.memory_self[1]),
                 row.flop ? Cell(*row.flop) : Cell()};
        if (by != OperatorsBy::name) cells.insert(cells.begin() + 1, group_cell(all, row, by));
        table.add_row(cells, {row.longest, {}});
    }
    return table;
}

template Table operators_table<OperatorsBy::name>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::shape>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::stack>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::module>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::step>(const TraceContext&, const TableQuery&);
template Table operators_table<OperatorsBy::thread>(const TraceContext&, const TableQuery&);

}  // namespace lanescope
