// The table of commands and gestures.
#include <algorithm>
#include <iterator>
#include <vector>

#include "ui/base/abilities.h"
#include "ui/commands/keys.h"

namespace lanescope {

namespace {

using enum Holding;

constexpr Command kCommands[] = {
    {"file.open", "File", "Open a file…", "Ctrl+O", Action::open},
    {"file.reload", "File", "Read the file again (automatic when it changes)", "F5",
     Action::reload},
    {"file.cancel_load", "File", "Stop loading", "Shift+Esc", Action::cancel_load},
    {"file.export", "File", "Export…", "", Action::export_list},
    {"file.save_table", "File", "Save the rows of the table in front as CSV…", "",
     Action::save_table},
    {"file.save_report", "File", "Save a report: one page for any browser…", "Ctrl+E",
     Action::save_report},
    {"file.save_picture", "File", "Save a picture: its size, scale and place…", "F12",
     Action::screenshot},
    {"file.picture_at_once", "File", "Save a picture of the window at once", "Shift+F12",
     Action::picture_at_once},
    {"file.copy_picture", "File", "Copy a picture of the window", "Ctrl+Shift+C",
     Action::copy_picture},

    {"capture.record", "Capture", "Record a program…", "Ctrl+Shift+R", Action::record},
    {"capture.record_samples", "Capture", "Record a program, and sample its functions…", "",
     Action::record_samples},
    {"capture.record_torch", "Capture", "Record a program with PyTorch's profiler…", "",
     Action::record_torch},
    {"capture.follow_end", "Capture", "Follow the end of a recording, or stop following", "N",
     Action::follow_end},
    {"capture.pause_recording", "Capture", "Pause or continue the recording", "Ctrl+Space",
     Action::pause_recording},
    {"capture.stop_recording", "Capture", "Stop the recording; the program continues", "Ctrl+.",
     Action::stop_recording},
    {"capture.end_program", "Capture", "End the program that this window records", "",
     Action::end_program},
    {"file.attach", "Capture", "Attach to a running PyTorch…", "Ctrl+Shift+L", Action::attach},

    {"view.zoom_in", "Move", "Zoom in at the cursor (Shift: faster)", "W", Action::zoom_in, moves},
    {"view.zoom_out", "Move", "Zoom out at the cursor (Shift: faster)", "S", Action::zoom_out,
     moves},
    {"view.pan_left", "Move", "Pan to earlier (Shift: faster)", "A", Action::pan_left, moves},
    {"view.pan_right", "Move", "Pan to later (Shift: faster)", "D", Action::pan_right, moves},
    {"view.begin", "Move", "To the start of the trace", "Home", Action::whole_trace_begin},
    {"view.end", "Move", "To the end of the trace", "End", Action::whole_trace_end},
    {"view.frame", "Move", "Frame the selection; again: the whole trace", "F", Action::frame},
    {"view.back", "Move", "Back to the previous place and selection", "Alt+← Backspace",
     Action::place_back, repeats},
    {"view.forward", "Move", "Forward to the next place and selection", "Alt+→ Shift+Backspace",
     Action::place_forward, repeats},

    {"select.parent", "Select", "Parent", "↑", Action::parent, repeats},
    {"select.child", "Select", "First child", "↓", Action::child, repeats},
    {"select.previous_in_row", "Select", "Previous in the row; with nothing selected: pan", "←",
     Action::previous_in_row, repeats},
    {"select.next_in_row", "Select", "Next in the row; with nothing selected: pan", "→",
     Action::next_in_row, repeats},
    {"select.next_in_lane", "Select", "Next slice of the lane", ".", Action::next_in_lane, repeats},
    {"select.previous_in_lane", "Select", "Previous slice of the lane", ",",
     Action::previous_in_lane, repeats},
    {"select.flow_forward", "Select", "Along the flow: from a launch to its kernel", "]",
     Action::flow_forward, repeats},
    {"select.flow_back", "Select", "Back along the flow", "[", Action::flow_back, repeats},
    {"select.forward_backward", "Select", "From a forward operator to its backward, or back", "B",
     Action::forward_backward},
    {"select.all_alike", "Select", "All like the selection; . and , step through them",
     "Ctrl+Shift+A", Action::all_alike},
    {"select.menu", "Select", "Menu of the selected slice", "Shift+F10", Action::slice_menu},
    {"select.copy_name", "Select", "Copy the name of the selection", "Ctrl+C", Action::copy_name},
    {"select.range_of_selection", "Select", "Range of the selection", "R",
     Action::range_of_selection},
    {"select.range_of_view", "Select", "Range of the visible time", "Ctrl+A",
     Action::range_of_view},
    {"select.next_gap", "Select", "Idle gaps of the GPU, the longest first", "G", Action::next_gap},
    {"select.previous_gap", "Select", "Back to the previous gap", "Shift+G", Action::previous_gap},
    {"findings.next_place", "Select", "Next place of the chosen finding, the longest first",
     "Ctrl+G", Action::next_place, repeats},
    {"findings.next", "Select", "First place of the next finding", "Ctrl+Shift+G",
     Action::next_finding},
    {"findings.thresholds", "Select", "Thresholds of findings…", "", Action::thresholds},
    {"window.dismiss", "Select", "Close open lists; then clear the range, then the selection",
     "Esc", Action::dismiss},

    {"find.find", "Find", "Search slices", "/ Ctrl+F", Action::find},
    {"find.next", "Find", "Next match", "F3", Action::find_next, repeats},
    {"find.previous", "Find", "Previous match", "Shift+F3", Action::find_previous, repeats},
    {"find.filter", "Find", "Slices that do not match: shown, dimmed, hidden", "Shift+F",
     Action::find_filter},
    {"find.command", "Find", "Run a command by its name", "Ctrl+Shift+P", Action::palette},
    {"find.lane", "Find", "Go to a lane by its name", "Ctrl+P", Action::go_to_lane},

    {"lanes.fold", "Lanes", "Fold or unfold the lane", "Space", Action::fold_lane},
    {"lanes.fold_all", "Lanes", "Fold or unfold all groups", "Shift+Space", Action::fold_all},
    {"lanes.pin", "Lanes", "Pin the lane at the bottom, or unpin it", "P", Action::pin_lane},
    {"lanes.hide", "Lanes", "Hide the lane", "X", Action::hide_lane},
    {"lanes.show_all", "Lanes", "Show all hidden lanes", "Shift+X", Action::show_all_lanes},
    {"lanes.up", "Lanes", "Move the lane up", "Alt+↑", Action::lane_up, repeats},
    {"lanes.down", "Lanes", "Move the lane down", "Alt+↓", Action::lane_down, repeats},
    {"lanes.higher", "Lanes", "Lane higher: more rows, or a higher curve", "Alt+Shift+↓",
     Action::lane_higher, repeats},
    {"lanes.lower", "Lanes", "Lane lower: fewer rows, or a lower curve", "Alt+Shift+↑",
     Action::lane_lower, repeats},
    {"lanes.menu", "Lanes", "Menu of the lane and its group", "Ctrl+F10", Action::lane_menu},
    {"lanes.python", "Lanes", "Python frames: modules only, my code, all", "Y",
     Action::python_frames},
    {"lanes.short", "Lanes", "Hide slices shorter than 1 µs", "U", Action::short_slices},
    {"lanes.all_rows", "Lanes", "Show all rows of lanes in every view", "", Action::all_rows},
    {"lanes.by_stream", "Lanes", "Streams of the same number together", "",
     Action::group_by_stream},
    {"lanes.reset", "Lanes", "Reset the arrangement of all lanes", "", Action::reset_lanes},

    {"traces.compare", "Traces", "Compare two traces: what changed", "", Action::compare},
    {"traces.add", "Traces", "Add a trace to the window…", "Ctrl+Shift+O", Action::add_trace},
    {"traces.graph_capture", "Traces", "Add a graph capture: operators of graph replays…", "",
     Action::add_graph_capture},
    {"traces.compile_log", "Traces",
     "Add a log of torch.compile: operators and lines of its kernels…", "",
     Action::add_compile_log},
    {"traces.classes", "Traces", "Classify kernels by a file: communication, groups…", "",
     Action::classify_kernels},
    {"traces.by_start", "Traces", "Align by their start", "", Action::align_start},
    {"traces.by_clock", "Traces", "Align by wall clock", "", Action::align_clock},
    {"traces.by_step", "Traces", "Align by the step of the selection, or in the middle", "",
     Action::align_step},
    {"traces.by_events", "Traces", "Align two events: of one trace, then of another", "Ctrl+L",
     Action::align_events},
    {"traces.earlier", "Traces", "Move the trace under the pointer earlier", "Alt+Shift+←",
     Action::trace_earlier, repeats},
    {"traces.later", "Traces", "Move the trace under the pointer later", "Alt+Shift+→",
     Action::trace_later, repeats},
    {"traces.tables", "Traces", "Tables of the next trace", "Ctrl+T", Action::next_tables},

    {"columns.menu", "Columns", "Columns of the table: a menu of all actions", "F8",
     Action::columns_menu},
    {"columns.next", "Columns", "Choose the next column of the table", "Ctrl+→",
     Action::column_next, repeats},
    {"columns.previous", "Columns", "Choose the previous column of the table", "Ctrl+←",
     Action::column_previous, repeats},
    {"columns.wider", "Columns", "Column wider", "Ctrl+Shift+→", Action::column_wider, repeats},
    {"columns.narrower", "Columns", "Column narrower", "Ctrl+Shift+←", Action::column_narrower,
     repeats},
    {"columns.fit", "Columns", "Fit the column to its contents", "Ctrl+Shift+F",
     Action::column_fit},
    {"columns.left", "Columns", "Move the column to the left", "Ctrl+Shift+PageUp",
     Action::column_left, repeats},
    {"columns.right", "Columns", "Move the column to the right", "Ctrl+Shift+PageDown",
     Action::column_right, repeats},
    {"columns.hide", "Columns", "Hide the column", "Ctrl+Shift+X", Action::column_hide},
    {"columns.sort", "Columns", "Sort by the column; again: reversed, then unsorted",
     "Ctrl+Shift+S", Action::column_sort},

    {"notes.mark", "Notes", "Mark the time under the pointer", "M", Action::mark},
    {"notes.note", "Notes", "Note on the range, the selection or where the pointer is", "Shift+M",
     Action::note},
    {"notes.edit", "Notes", "Edit the text of the chosen note", "", Action::edit_note},
    {"notes.delete", "Notes", "Delete the chosen note", "Delete", Action::delete_note},
    {"notes.save", "Notes", "Save the notes beside the trace", "Ctrl+S", Action::save_notes},
    {"notes.save_as", "Notes", "Save the notes as …", "", Action::save_notes_as},
    {"edit.undo", "View", "Undo the last change of view, lanes, layout or notes", "Ctrl+Z",
     Action::undo},
    {"edit.redo", "View", "Redo what was undone", "Ctrl+Shift+Z Ctrl+Y", Action::redo},

    {"window.tables", "Panels", "Tables below", "Q", Action::tables},
    {"window.statistics", "Panels", "Statistics and histogram of the selection", "H",
     Action::statistics},
    {"window.panel_keys", "Panels",
     "Arrows and Enter for the panels, one after the other; Esc: back", "F6", Action::panel_keys},
    {"window.resize_panels", "Panels", "Widths and heights of panels by the arrows…", "F7",
     Action::resize_panels},
    {"window.move_panel", "Panels", "Move a panel by the arrows: to another side, or out…",
     "Shift+F7", Action::move_panel},
    {"window.reset_layout", "Panels", "Reset the layout of panels", "", Action::reset_layout},

    {"window.menu", "Window", "Menu of everything", "F10", Action::menu},
    {"window.legend", "Window", "Legend", "L", Action::legend},
    {"window.color", "Window", "Next colour mode: category, name, deviation, …", "C",
     Action::next_color},
    {"window.choose_class", "Window", "Show only some colours of the legend…", "Shift+C",
     Action::choose_class},
    {"window.hide_classes", "Window", "Slices of other colours: hidden, not dimmed", "",
     Action::hide_classes},
    {"window.all_classes", "Window", "Show all colours again", "", Action::all_classes},
    {"window.idle", "Window", "Dead windows and idle gaps on the lanes", "I", Action::idle},
    {"window.flows", "Window", "Flows of all slices in view", "E", Action::flows},
    {"window.critical_path", "Window", "Critical path of each step, on the lanes", "K",
     Action::critical_path},
    {"window.what_if", "Window", "What if the selection took less", "Shift+K", Action::what_if},
    {"window.wheel_zoom", "Window", "Ctrl+wheel zooms in the other direction", "",
     Action::wheel_zoom},
    {"window.wheel_pan", "Window", "Shift+wheel and two fingers pan in the other direction", "",
     Action::wheel_pan},
    {"window.theme", "Window", "Light theme", "T", Action::theme},
    {"window.desktop_theme", "Window", "Theme of the desktop", "", Action::desktop_theme},
    {"window.larger", "Window", "Larger interface", "Ctrl++", Action::larger, repeats},
    {"window.smaller", "Window", "Smaller interface", "Ctrl+-", Action::smaller, repeats},
    {"window.keys", "Window", "All keys", "? F1", Action::help},
    {"window.change_key", "Window", "Change the key of a command", "", Action::change_key},
};

constexpr Gesture kGestures[] = {
    {"Move", "Wheel, two fingers along", "Scroll the lanes"},
    {"Move", "Shift+wheel, two fingers across", "Pan"},
    {"Move", "Ctrl+wheel", "Zoom at the cursor"},
    {"Move", "Shift, right or middle drag", "Pan and scroll"},
    {"Move", "Drag on the overview", "Move the window, or its edges; beside it: a new one"},
    {"Move", "Click on a mark of the overview", "Show its gap, window or step"},
    {"Select", "Click", "Select a slice"},
    {"Select", "Double click", "Zoom to a slice"},
    {"Select", "Right click", "Menu of a slice"},
    {"Select", "Drag", "Mark a range of time in the lanes touched"},
    {"Select", "Drag on the ruler", "Mark a range of time in all lanes"},
    {"Lanes", "Click on a head", "Fold or unfold a lane or group"},
    {"Lanes", "Drag a head", "Move a lane in its group, or a group"},
    {"Lanes", "Drag a head's lower edge", "Height of a curve, rows shown of a lane"},
    {"Lanes", "Right click on a head", "Menu of a lane or group"},
    {"Panels", "In SQL: Ctrl+Enter", "Run the query"},
    {"Panels", "In SQL: Tab", "Complete a name"},
    {"Panels", "In SQL: Ctrl+Up, Ctrl+Down", "Earlier and later queries"},
    {"Notes", "Click on its flag", "Choose a note; twice: edit its text"},
};

}  // namespace

std::span<const Command> commands() {
    if (abilities().captures) return kCommands;
    static const std::vector<Command> kept = [] {
        std::vector<Command> others(std::begin(kCommands), std::end(kCommands));
        std::erase_if(others, [](const Command& command) {
            return std::string_view(command.group) == "Capture";
        });
        return others;
    }();
    return kept;
}

std::span<const Gesture> gestures() {
    return kGestures;
}

const Command& command_of(Action action) {
    return *std::ranges::find(kCommands, action, &Command::action);
}

const Command* find_command(std::string_view id) {
    const std::span<const Command> all = commands();
    const auto found =
        std::ranges::find(all, id, [](const Command& c) { return std::string_view(c.id); });
    return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> command_groups() {
    std::vector<std::string_view> groups;
    for (const Command& command : commands())
        if (groups.empty() || groups.back() != command.group) groups.emplace_back(command.group);
    return groups;
}

}  // namespace lanescope
