// All panels of the window.
#pragma once

#include <memory>
#include <vector>

#include "ui/panels/compare_panel.h"
#include "ui/panels/find_panel.h"
#include "ui/panels/findings_panel.h"
#include "ui/panels/flame_panel.h"
#include "ui/panels/lanes_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/range_panel.h"
#include "ui/panels/ranks_panel.h"
#include "ui/panels/roofline_panel.h"
#include "ui/panels/selection_panel.h"
#include "ui/panels/side_by_side.h"
#include "ui/panels/sql_panel.h"
#include "ui/panels/statistics.h"
#include "ui/panels/table_panel.h"
#include "ui/panels/traces_panel.h"
#include "ui/panels/warnings_panel.h"
#include "ui/panels/what_if_panel.h"

namespace lanescope {

struct Panels {
    Panels();
    // All panels in the order of drawing. The first kAlways are drawn even if the tables are
    // hidden.
    std::vector<Panel*> all();
    static constexpr std::size_t kAlways = 3;

    TraceFindings trace_findings;
    SelectionPanel selection{trace_findings};
    NotesPanel notes;
    RangePanel range;
    FindingsPanel findings{trace_findings};
    std::vector<std::unique_ptr<TablePanel>> tables;  // of the registry
    FindPanel find;
    WhatIfPanel what_if;
    StatisticsPanel statistics{selection.siblings()};
    RooflinePanel roofline;
    FlamePanel flame;
    LanesPanel lanes;
    SqlPanel sql;
    WarningsPanel warnings;
    RanksPanel ranks;
    TracesPanel traces;
    SideBySidePanel side_by_side;
    ComparePanel compare;
};

}  // namespace lanescope
