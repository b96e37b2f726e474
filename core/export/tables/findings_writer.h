// Findings as text for people, as a table and as JSON for scripts.
#pragma once

#include <string>

#include "core/export/tables/text_grid.h"
#include "core/insight/findings/rule.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct FindingTableRow> kFindingsTable;
extern const TableOf<struct ThresholdTableRow> kThresholdsTable;

// Places and evidence are lists in one cell each.
Table findings_table(const TraceContext& context, const Findings& findings);
// Each finding with its evidence, first place and advice; then what they cost together.
std::string findings_as_text(const TraceContext& context, const Findings& findings,
                             const TextStyle& style = {});
// Later versions only add keys. Times in ns from the trace's origin; unknown values are null.
std::string findings_as_json(const TraceContext& context, const Findings& findings);

Table thresholds_table(const Thresholds& thresholds);

}  // namespace lanescope
