// The tables of core/analysis/work/work_models.h: operators with their work and floors, what has no
// model, and how close steps come to the device's peak.
#pragma once

#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/work/cost_sums.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct ModelTableRow> kModelsTable;
extern const TableOf<struct CoverageTableRow> kModelsByCoverageTable;
extern const TableOf<struct StepWorkTableRow> kModelsByStepTable;

// Operators of one name with the same arguments, run on the same execution units.
struct ModelRow {
    uint32_t call = 0;  // of WorkModels::calls
    int32_t device = -1;
    DataType type = DataType::unknown;
    Pipe pipe = Pipe::vector;
    int64_t calls = 0;
    Nanos kernel_time = 0;
    double floor_ns = 0;  // NaN: there is none
    double lost_ns = 0;
    WorkBound bound = WorkBound::unknown;  // the bound of most of the time
    BelowFloor below = BelowFloor::no;
    bool uncertain = false;  // the source of the floor's figure is not confirmed
    SliceRef longest;
};
// Longest first. An operator counts if its first kernel begins in the range.
std::vector<ModelRow> model_rows(const TraceContext& context, const TableQuery& query);
// The figure from the device's sheet, followed by "?" if it is not confirmed; uses the buffer.
// Empty: there is none.
std::string_view peak_name(const WorkModels& models, int32_t device, DataType type, Pipe pipe,
                           std::string& buffer);
// A text of "Input Dims" on one line; may use the buffer.
std::string_view spelled_shapes(const Trace& trace, StringId dims, std::string& buffer);

// Columns that the tables models and roofline share.
inline constexpr SharedColumn kOperatorColumn{
    ColumnText{"operator", Unit::none, kDistinct, "", "Name of the operator."},
    [](const auto& row) { return row.trace.strings[row.call.name]; }};
inline constexpr SharedColumn kShapesColumn{
    ColumnText{"input_shapes", Unit::none, kDistinct, "",
               "Shapes of its inputs, as torch spells them; of lists []."},
    [](const auto& row) { return row.shapes; }};
inline constexpr SharedColumn kModelCallsColumn{
    ColumnText{"calls", Unit::count, kSum, "", "Calls that launched kernels in the range."},
    [](const auto& row) { return row.model.calls; }};
inline constexpr SharedColumn kDtypeColumn{
    ColumnText{"dtype", Unit::none, kDistinct, "", "Data type of the computation."},
    [](const auto& row) { return data_type_name(row.model.type); }};

Table models_table(const TraceContext& context, const TableQuery& query);
// One row for each reason why kernels have no model.
Table models_by_coverage_table(const TraceContext& context, const TableQuery& query);
// One row for each step, and one for the whole time.
Table models_by_step_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
