// The tables of core/analysis/work_models.h: operators with their work and floors, what has no
// model, and how far steps are from the device's peak.
#pragma once

#include <vector>

#include "core/analysis/cost_sums.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kModelsTable, kModelsByCoverageTable, kModelsByStepTable;

// Operators of one name with the same arguments, worked out with the same units.
struct ModelRow {
    uint32_t call = 0;  // of WorkModels::calls
    int32_t device = -1;
    DataType type = DataType::unknown;
    Pipe pipe = Pipe::vector;
    int64_t calls = 0;
    Nanos kernel_time = 0;
    double floor_ns = 0;  // NaN: there is none
    double lost_ns = 0;
    WorkBound bound = WorkBound::unknown;  // of most of the time
    BelowFloor below = BelowFloor::no;
    bool uncertain = false;  // no source confirmed the figure that the floor comes from
    SliceRef longest;
};
// From the longest to the shortest. An operator counts when its first kernel begins in the range.
std::vector<ModelRow> model_rows(const TraceContext& context, const TableQuery& query);
// The figure of the device's sheet, "?" behind one that is not confirmed; it lies in the buffer.
// Empty: there is none.
std::string_view peak_name(const WorkModels& models, int32_t device, DataType type, Pipe pipe,
                           std::string& buffer);
// A text of "Input Dims" on one line; it may lie in the buffer.
std::string_view spelled_shapes(const Trace& trace, StringId dims, std::string& buffer);

// What both models and roofline tell of such a row.
inline constexpr ColumnSpec kOperatorColumn{"operator", ValueType::text, Unit::none, "",
                                            "Name of the operator."};
inline constexpr ColumnSpec kShapesColumn{
    "input_shapes", ValueType::text, Unit::none, "",
    "Shapes of its inputs, as torch spells them; of lists []."};
inline constexpr ColumnSpec kModelCallsColumn{"calls", ValueType::integer, Unit::count, "",
                                              "Calls that launched kernels in the range."};
inline constexpr ColumnSpec kDtypeColumn{"dtype", ValueType::text, Unit::none, "",
                                         "Type that it is worked out in."};

Table models_table(const TraceContext& context, const TableQuery& query);
// A row for each reason why kernels have no model.
Table models_by_coverage_table(const TraceContext& context, const TableQuery& query);
// A row for each step, and one for all of the time.
Table models_by_step_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
