// The registry of commands: everything that a key, a menu or the palette can do.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/commands/chord.h"

namespace lanescope {

enum class Action {
    none,
    open,
    add_trace,
    add_graph_capture,
    add_compile_log,
    classify_kernels,
    align_start,
    align_clock,
    align_step,
    align_events,
    trace_earlier,
    trace_later,
    next_tables,
    reload,
    cancel_load,
    attach,
    record,
    record_samples,
    record_torch,
    follow_end,
    pause_recording,
    stop_recording,
    end_program,
    compare,
    export_list,
    save_table,
    save_report,
    screenshot,
    picture_at_once,
    copy_picture,
    zoom_in,
    zoom_out,
    pan_left,
    pan_right,
    frame,
    whole_trace_begin,
    whole_trace_end,
    place_back,
    place_forward,
    parent,
    child,
    previous_in_row,
    next_in_row,
    previous_in_lane,
    next_in_lane,
    flow_forward,
    flow_back,
    forward_backward,
    all_alike,
    slice_menu,
    copy_name,
    range_of_selection,
    range_of_view,
    next_gap,
    previous_gap,
    next_place,
    next_finding,
    thresholds,
    dismiss,
    find,
    find_next,
    find_previous,
    find_filter,
    palette,
    go_to_lane,
    fold_lane,
    fold_all,
    pin_lane,
    hide_lane,
    show_all_lanes,
    lane_up,
    lane_down,
    lane_higher,
    lane_lower,
    lane_menu,
    python_frames,
    short_slices,
    all_rows,
    group_by_stream,
    reset_lanes,
    mark,
    note,
    edit_note,
    delete_note,
    save_notes,
    save_notes_as,
    undo,
    redo,
    menu,
    legend,
    next_color,
    choose_class,
    hide_classes,
    all_classes,
    idle,
    flows,
    critical_path,
    what_if,
    tables,
    statistics,
    panel_keys,
    resize_panels,
    move_panel,
    wheel_zoom,
    wheel_pan,
    columns_menu,
    column_next,
    column_previous,
    column_wider,
    column_narrower,
    column_fit,
    column_left,
    column_right,
    column_hide,
    column_sort,
    theme,
    desktop_theme,
    larger,
    smaller,
    reset_layout,
    change_key,
    help,
};

// How a held key acts.
enum class Holding { once, repeats, moves };

// Each line defines a command: its key, its place in the menu and the list of keys, and the palette
// all read it. Commands of a group are consecutive.
struct Command {
    const char* id;     // stable; settings name it
    const char* group;  // in the menu and the list of keys
    const char* title;
    // Default keys in the syntax of parse_chord(), separated by spaces; empty: none.
    const char* keys;
    Action action = Action::none;
    Holding holding = Holding::once;
};
std::span<const Command> commands();
// The default keys of a command.
std::vector<Chord> first_keys(const Command& command);
const Command& command_of(Action action);  // an action other than Action::none
// Null if there is no command of that id.
const Command* find_command(std::string_view id);

// An action of the pointer: shown in the list of keys, and not configurable.
struct Gesture {
    const char* group;
    const char* how;
    const char* does;
};
std::span<const Gesture> gestures();

// The groups in order.
std::vector<std::string_view> command_groups();

// The user's own keys: command ids, each with the chords that replace its defaults.
using KeySettings = std::map<std::string, std::vector<std::string>>;

struct Binding {
    Chord chord;
    Action action = Action::none;
};

// Which key does what. Settings take precedence over defaults.
struct KeyMap {
    std::vector<Binding> bindings;
    // Settings that cannot be applied, one sentence each.
    std::vector<std::string> problems;
};
KeyMap make_key_map(const KeySettings& settings);

// The action of a pressed key with its modifiers, or of a typed character.
Action action_of(const KeyMap& keys, ImGuiKeyChord pressed);
Action action_of_character(const KeyMap& keys, ImWchar character);
// The keys of a command as text, separated by two spaces; empty: none.
std::string keys_of(const KeyMap& keys, Action action);

struct PressedKey {
    ImGuiKeyChord chord = 0;
    bool again = false;  // held long enough to repeat
};

// The keys pressed or repeated in a frame. With a quick Ctrl+O, Ctrl may be released in the same
// frame in which O is pressed, so modifiers are tracked event by event.
class PressedKeys {
  public:
    // Call it once a frame.
    std::vector<PressedKey> take();

  private:
    ImGuiKeyChord modifiers_ = 0;
};

// 1 if the keys of a continuous action are held, else 0.
int held(const KeyMap& keys, Action action);

}  // namespace lanescope
