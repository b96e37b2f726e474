// The list of panels.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace lanescope {

inline constexpr std::string_view kTimelinePanel = "Timeline";
inline constexpr std::string_view kSelectionPanel = "Selection";
inline constexpr std::string_view kRangePanel = "Range";
inline constexpr std::string_view kNotesPanel = "Notes";
inline constexpr std::string_view kFindingsPanel = "Findings";
// The panel that is in front at first, unless the trace has no data for it.
inline constexpr std::string_view kFirstPanel = "Hotspots";
inline constexpr std::string_view kFindPanel = "Find";
inline constexpr std::string_view kWhatIfPanel = "What if";
inline constexpr std::string_view kStatisticsPanel = "Statistics";
inline constexpr std::string_view kRooflinePanel = "Roofline";
inline constexpr std::string_view kFlamePanel = "Flame graph";
inline constexpr std::string_view kSideBySidePanel = "Side by side";
inline constexpr std::string_view kComparePanel = "Compare";
inline constexpr std::string_view kTracesPanel = "Traces";
inline constexpr std::string_view kLanesPanel = "Lanes";
inline constexpr std::string_view kWarningsPanel = "Warnings";
inline constexpr std::string_view kRanksPanel = "Ranks";
inline constexpr std::string_view kSqlPanel = "SQL";
// The window of the legend, which is no panel.
inline constexpr const char* kLegendWindow = "Legend";

// A panel that shows a table of the registry.
struct TablePanelName {
    std::string_view table;
    std::string_view title;
};
std::span<const TablePanelName> table_panel_names();

// The part of a window's name that Dear ImGui shows: that before "##".
inline std::string_view window_title(std::string_view window) {
    return window.substr(0, window.find("##"));
}

// Panels that share a place below the timeline.
struct PanelGroup {
    std::string_view window;  // "Hot##group"; followed by a zero byte
    std::vector<std::string_view> panels;

    std::string_view title() const { return window_title(window); }
};
std::span<const PanelGroup> panel_groups();
// The group of a panel; null for the timeline and the panels beside it.
const PanelGroup* group_of_panel(std::string_view panel);
// Whether the panel is beside the timeline by default: Selection, Range and Notes.
bool is_side_panel(std::string_view panel);

// All panels: the timeline first, those beside it, then by group. Each name is followed by a zero
// byte.
std::span<const std::string_view> panel_names();

// Finds a panel by title or table, ignoring case, with - for a space. Empty: there is none.
std::string_view panel_called(std::string_view word);

}  // namespace lanescope
