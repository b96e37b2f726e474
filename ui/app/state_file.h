// The state of the window as JSON, for tests that press real keys and check the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/insight/gap_story.h"
#include "ui/commands/command_palette.h"
#include "ui/commands/help.h"
#include "ui/features/attach_dialog.h"
#include "ui/features/find_box.h"
#include "ui/features/legend.h"
#include "ui/features/picture_dialog.h"
#include "ui/features/record_dialog.h"
#include "ui/frame/frame_cost.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/range_panel.h"
#include "ui/panels/roofline_panel.h"
#include "ui/panels/selection.h"
#include "ui/panels/side_by_side.h"
#include "ui/panels/statistics.h"
#include "ui/panels/table_panel.h"
#include "ui/panels/tables.h"
#include "ui/panels/traces_panel.h"
#include "ui/timeline/timeline.h"
#include "ui/workspace/docking.h"
#include "ui/workspace/tab_list.h"

namespace lanescope {

// A panel that is drawn.
struct PanelPlace {
    std::string name;
    Box box;
    bool docked = false;
    bool in_front = false;              // of the tabs beside it
    Box tab;                            // of a docked one
    bool lit = false;                   // its tab is drawn as one in front
    const TablePanel* table = nullptr;  // null: it shows none
};

struct StateFacts {
    std::string file;
    bool loading = false;
    const NotesState* notes = nullptr;
    const Error* error = nullptr;
    const Timeline* timeline = nullptr;
    uint64_t inputs = 0;     // keys, buttons and wheel turns so far
    int waiting_inputs = 0;  // those, and typed characters, that later frames will process
    bool moving = false;
    bool at_rest = false;  // nothing is left to draw or compute
    Theme theme = Theme::dark;
    bool tables_shown = false;
    bool menu_shown = false;
    bool dialog_shown = false;
    const SliceFacts* selection = nullptr;
    const std::vector<Argument>* arguments = nullptr;
    const Legend* legend = nullptr;
    ImVec2 color_place;  // position of the field of colour modes
    const KeyHelp* help = nullptr;
    struct {
        const FindBox* box = nullptr;
        std::string status;
        bool busy = false;
        bool reading = false;  // the file, for arguments
    } search;
    const CommandPalette* palette = nullptr;
    const KeyMap* keys = nullptr;
    const PictureDialog* picture_dialog = nullptr;
    const AttachDialog* attach_dialog = nullptr;
    const AttachView* attach = nullptr;           // null: not listening
    const RecordDialog* record_dialog = nullptr;  // null: it is not shown
    struct {
        const FollowStatus* status = nullptr;  // null: no recording is followed
        bool follows = false;                  // the view, the end
        bool has_tables = false;
        const std::vector<std::pair<std::string, ImVec2>>* places = nullptr;  // of buttons
    } following;
    std::string message;  // in the status bar; empty: none
    std::vector<PanelPlace> panels;
    const TabList* tab_list = nullptr;
    const FrameCost* frame_cost = nullptr;
    std::string keys_in;                // the panel with the arrow keys
    std::optional<PanelBorder> border;  // that arrows move
    std::string panel_moved;            // by the arrows; empty: none
    std::string column;                 // the chosen column of a table; empty: none
    const StatisticsPanel* statistics = nullptr;
    const SliceModel* model = nullptr;  // of the selection; null: none, or not yet known
    std::size_t model_warnings = 0;
    const RooflinePanel* roofline = nullptr;
    const RangePanel* range = nullptr;
    const LanesTable* lanes_table = nullptr;
    const std::vector<std::string>* story = nullptr;  // null: not shown
    const TracesShown* traces = nullptr;
    const TracesPanel* traces_panel = nullptr;
    const SideBySidePanel* side_by_side = nullptr;
    const WalkedGap* gap = nullptr;  // the gap that is described; null: none
};

// Times in nanoseconds from the trace's origin, positions in pixels of the window.
std::string state_text(const StateFacts& facts);
// Writes a temporary file and renames it, so that a reader never sees half of it.
bool write_state_file(const std::string& path, const std::string& text);

}  // namespace lanescope
