#include "ui/commands/panel_names.h"

#include <array>
#include <string>

#include "core/registry/tables.h"
#include "core/table/columns.h"

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
    TablePanelName{"slices", "Slices"},
    TablePanelName{"models", "Models"},
    TablePanelName{"modules", "Modules"},
    TablePanelName{"critical-path", "Critical path"},
    TablePanelName{"samples", "Samples"},
};

std::string plain(std::string_view words) {
    std::string text;
    for (const char c : words) {
        const bool upper = c >= 'A' && c <= 'Z';
        text += c == ' ' ? '-' : upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

}  // namespace

std::string_view panel_called(std::string_view word) {
    const std::string wanted = plain(word);
    for (const std::string_view name : panel_names())
        if (plain(name) == wanted) return name;
    for (const TablePanelName& panel : kTablePanels)
        if (panel.table == wanted) return panel.title;
    return {};
}

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
        all.push_back(kWhatIfPanel);
        all.push_back(kStatisticsPanel);
        all.push_back(kRooflinePanel);
        all.push_back(kLanesPanel);
        all.push_back(kWarningsPanel);
        all.push_back(kTracesPanel);  // the last group, since few people need these panels
        all.push_back(kSideBySidePanel);
        return all;
    }();
    return names;
}

}  // namespace lanescope
