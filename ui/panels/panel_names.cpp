#include "ui/panels/panel_names.h"

#include <array>

#include "core/analysis/columns.h"

namespace lanescope {

namespace {

constexpr std::array kTablePanels = {
    TablePanelName{"kernels", "Kernels"},
    TablePanelName{"hotspots", "Hotspots"},
    TablePanelName{"operators", "Operators"},
    TablePanelName{"steps", "Steps"},
    TablePanelName{"breakdown", "Time"},
    TablePanelName{"gaps", "Gaps"},
    TablePanelName{"dead-windows", "Dead windows"},
    TablePanelName{"launches", "Launches"},
    TablePanelName{"synchronisations", "Synchronisations"},
    TablePanelName{"memory", "Memory"},
    TablePanelName{"collectives", "Collectives"},
    TablePanelName{"sections", "Sections"},
    TablePanelName{"models", "Models"},
};

}  // namespace

std::span<const TablePanelName> table_panel_names() {
    return kTablePanels;
}

std::span<const std::string_view> panel_names() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all = {kTimelinePanel, kSelectionPanel, kRangePanel,
                                             kNotesPanel};
        for (const TablePanelName& panel : kTablePanels)
            if (find_table(panel.table)) all.push_back(panel.title);
        all.push_back(kFindPanel);
        all.push_back(kStatisticsPanel);
        all.push_back(kRooflinePanel);
        all.push_back(kLanesPanel);
        all.push_back(kWarningsPanel);
        all.push_back(kTracesPanel);  // last: it is of use to few
        return all;
    }();
    return names;
}

}  // namespace lanescope
