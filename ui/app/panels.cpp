#include "ui/app/panels.h"

#include "core/registry/tables.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

Panels::Panels() {
    for (const TablePanelName& name : table_panel_names())
        if (find_table(name.table))
            tables.push_back(std::make_unique<TablePanel>(name.table, name.title));
}

std::vector<Panel*> Panels::all() {
    std::vector<Panel*> all = {&selection, &notes, &range, &findings};
    for (const auto& table : tables) all.push_back(table.get());
    all.insert(all.end(), {&find, &what_if, &statistics, &roofline, &flame, &lanes, &sql, &warnings,
                           &ranks, &traces, &side_by_side, &compare});
    return all;
}

}  // namespace lanescope
