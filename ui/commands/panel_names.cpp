#include "ui/commands/panel_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/registry/tables.h"
#include "core/table/columns.h"

namespace lanescope {

namespace {

constexpr std::array kTablePanels = {
    TablePanelName{"hotspots", "Hotspots"},
    TablePanelName{"kernels", "Kernels"},
    TablePanelName{"operators", "Operators"},
    TablePanelName{"modules", "Modules"},
    TablePanelName{"models", "Models"},
    TablePanelName{"steps", "Steps"},
    TablePanelName{"breakdown", "Breakdown"},
    TablePanelName{"sections", "Sections"},
    TablePanelName{"critical-path", "Critical path"},
    TablePanelName{"gaps", "Gaps"},
    TablePanelName{"dead-windows", "Dead windows"},
    TablePanelName{"launches", "Launches"},
    TablePanelName{"synchronisations", "Synchronisations"},
    TablePanelName{"collectives", "Collectives"},
    TablePanelName{"compile", "Compile"},
    TablePanelName{"memory", "Memory"},
    TablePanelName{"slices", "Slices"},
    TablePanelName{"samples", "Samples"},
};

constexpr std::array kSidePanels = {kSelectionPanel, kRangePanel, kNotesPanel};

std::string plain(std::string_view words) {
    std::string text;
    for (const char c : words) {
        const bool upper = c >= 'A' && c <= 'Z';
        text += c == ' ' ? '-' : upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

std::vector<PanelGroup> make_groups() {
    std::vector<PanelGroup> groups = {
        {"Findings##group", {kFindingsPanel}},
        {"Hot##group",
         {"Hotspots", "Kernels", "Operators", "Modules", "Models", "Compile", kRooflinePanel,
          kFlamePanel, kStatisticsPanel}},
        {"Time##group", {"Steps", "Breakdown", "Sections", "Critical path", kWhatIfPanel}},
        {"Waiting##group",
         {"Gaps", "Dead windows", "Launches", "Synchronisations", "Collectives", kRanksPanel}},
        {"Memory##group", {"Memory"}},
        {"Compare##group", {kTracesPanel, kSideBySidePanel, kComparePanel}},
        {"Lists##group",
         {"Slices", "Samples", kLanesPanel, kFindPanel, kSqlPanel, kWarningsPanel}}};
    // Some tables are not part of every build.
    const auto is_missing = [](std::string_view panel) {
        const auto found = std::ranges::find(kTablePanels, panel, &TablePanelName::title);
        return found != kTablePanels.end() && !find_table(found->table);
    };
    for (PanelGroup& group : groups) std::erase_if(group.panels, is_missing);
    return groups;
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

std::span<const PanelGroup> panel_groups() {
    static const std::vector<PanelGroup> groups = make_groups();
    return groups;
}

const PanelGroup* group_of_panel(std::string_view panel) {
    for (const PanelGroup& group : panel_groups())
        if (std::ranges::count(group.panels, panel) > 0) return &group;
    return nullptr;
}

bool is_side_panel(std::string_view panel) {
    return std::ranges::count(kSidePanels, panel) > 0;
}

std::span<const std::string_view> panel_names() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all = {kTimelinePanel};
        all.insert(all.end(), kSidePanels.begin(), kSidePanels.end());
        for (const PanelGroup& group : panel_groups())
            all.insert(all.end(), group.panels.begin(), group.panels.end());
        return all;
    }();
    return names;
}

}  // namespace lanescope
