// App: the window's contents. Owns the open document, the timeline and the panels, and builds
// frames; knows neither GLFW nor the destination of the picture.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/analysis/collectives/rank_collectives.h"
#include "core/analysis/structure/forward_backward.h"
#include "core/capture/recorder.h"
#include "core/session/document.h"
#include "core/session/file_watch.h"
#include "core/session/settings.h"
#include "ui/app/state_file.h"
#include "ui/base/worker.h"
#include "ui/commands/command_palette.h"
#include "ui/commands/help.h"
#include "ui/commands/late_modifiers.h"
#include "ui/commands/panel_names.h"
#include "ui/commands/requests.h"
#include "ui/features/argument_reading.h"
#include "ui/features/attach_dialog.h"
#include "ui/features/find_box.h"
#include "ui/features/legend.h"
#include "ui/features/picture_dialog.h"
#include "ui/features/record_dialog.h"
#include "ui/frame/frame_cost.h"
#include "ui/frame/frame_pacing.h"
#include "ui/frame/options.h"
#include "ui/look/canvas.h"
#include "ui/look/font_fallback.h"
#include "ui/look/theme.h"
#include "ui/panels/gap_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/range_panel.h"
#include "ui/panels/roofline_panel.h"
#include "ui/panels/selection.h"
#include "ui/panels/side_by_side.h"
#include "ui/panels/statistics.h"
#include "ui/panels/story.h"
#include "ui/panels/table_panel.h"
#include "ui/panels/tables.h"
#include "ui/panels/traces_panel.h"
#include "ui/platform/desktop_theme.h"
#include "ui/platform/file_dialog.h"
#include "ui/timeline/timeline.h"
#include "ui/workspace/border_keys.h"
#include "ui/workspace/column_keys.h"
#include "ui/workspace/first_table.h"
#include "ui/workspace/layout.h"
#include "ui/workspace/panel_keys.h"
#include "ui/workspace/panel_mover.h"
#include "ui/workspace/panel_room.h"
#include "ui/workspace/tab_list.h"

namespace lanescope {

class App {
  public:
    // Needs a Dear ImGui context. Calls `wake`, which must be thread-safe, when a frame should be
    // drawn.
    App(AppOptions options, std::function<void()> wake);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    void open(const std::string& path);
    // Several files are shown below each other.
    void open(const std::vector<std::string>& paths, const Alignment& alignment);
    // Opens and follows a growing recording. `wait`: first wait until it exists.
    void open_recording(const std::string& path, bool wait);
    void take_dropped(const std::vector<std::string>& paths);
    // Screen pixels per design pixel, without the user's own scale.
    void set_content_scale(float scale);
    void set_theme(ThemeChoice choice);
    // Brings a panel to the front of its tabs; false if there is none of that name.
    bool show_panel(std::string_view name);

    // Before ImGui::NewFrame: adds fonts found since the last frame, and keeps modifiers with their
    // keys.
    void begin_frame();
    // Builds a frame, between ImGui::NewFrame and ImGui::Render. Times in seconds.
    void frame(double now, double since_last);
    // Clears the framebuffer behind the frame; between ImGui::Render and drawing.
    void clear_background() const;

    FramePacing& pacing() { return pacing_; }
    Timeline& timeline() { return timeline_; }
    const Settings& settings() const { return settings_; }
    void set_window_size(int width, int height);
    void set_maximized(bool maximized) { settings_.window_maximized = maximized; }
    // Runs a job in the background.
    void work(Worker::Job job) { worker_.post(std::move(job)); }
    std::string title() const;
    // Loaded (or failed), drawn, and nothing left to do.
    bool settled() const;
    // Why the file could not be opened, once known.
    const std::optional<Error>& error() const { return error_; }
    // The same, or why something else requested for several files failed.
    std::optional<Error> first_problem() const;
    // The request for a picture of the window since the last call.
    std::optional<PictureRequest> take_picture_request();
    // While true, frames are drawn for a picture: without messages.
    void set_picture_taken(bool taken) { picture_taken_ = taken; }
    void notify(std::string message, double now);
    void save_settings_now();
    // Frees objects of the OpenGL context.
    void close_graphics() { canvas_.close(); }

  private:
    // The parts of the view that survive another join of the traces: its slices.
    struct KeptSlices {
        SliceRef selected;
        SliceRef anchor;
        std::vector<LaneId> marked;
    };
    void add_trace(const std::string& path);
    std::vector<PartToOpen> open_parts() const;
    void reopen(std::vector<PartToOpen> parts, const Alignment& alignment);
    std::string shown_name() const;  // of the file, or files
    bool still_reading();
    void take_traces();
    TracePtr trace_of(LaneId lane) const;
    void show_part(uint32_t part);
    KeptSlices kept_slices(const Trace& after) const;
    void restore_slices(const KeptSlices& kept);
    void forget_contexts();
    void forget_panels();
    void move_part(uint32_t part, Nanos by);
    void follow_moves();
    void remove_part(uint32_t part);
    void align(const Alignment& alignment);
    void align_by_step();
    void align_events();
    void nudge(int direction);
    bool act_on_traces(Action action);
    TracesShown shown_traces() const;
    void draw_traces_panel();
    void draw_side_by_side(const PanelInputs& inputs);
    void draw_part_choice();
    bool is_moving() const;
    void match_ranks();
    void follow_ranks();
    std::string lanes_path_of() const;
    void poll_document(double now);
    void index_in_background(TracePtr trace);
    void follow_selection();
    void follow_marked_range();
    void find_all_alike();
    void follow_paths();
    void ask_what_if(SliceRef slice);
    void draw_what_if(const PanelInputs& inputs);
    void follow_search();
    void set_found(const FoundPtr& found);
    void read_arguments(const SearchExpression& expression);
    void end_reading(const std::shared_ptr<ArgumentReading>& reading,
                     const std::optional<Error>& problem);
    void take_newly_found();
    void follow_reading();
    bool stop_reading();
    std::string reading_status() const;
    std::string search_status();
    void step_found(bool forward);
    void remember_search();
    void next_filter();
    void draw_find_box(Box box);
    bool act_on_search(Action action);
    bool take_search_key(ImGuiKeyChord pressed);
    void open_commands();
    void open_lanes();
    void open_key_choice();
    void draw_palette();
    void follow_lane_wanted();
    void tell(Tell what);
    void draw_slice_menu();
    void ask_for_slice_menu();
    void ask_for_head_menu();
    void copy_name();
    void find_idle();
    void draw_head_menu();
    void lane_item(const char* title, Action action);
    void draw_lane_items();
    void draw_group_items();
    void restore_lanes(const TracePtr& trace);
    void take_over_lanes(const Trace& before, const TracePtr& trace);
    void follow_lanes();
    void filter_in_background(TracePtr trace);
    bool act_on_colors(Action action);
    void set_color_mode(ColorMode mode);
    void follow_colors();
    void follow_colored_lanes();
    void follow_classes();
    void follow_lost_time();
    bool colors_ready() const;
    void open_classes();
    void draw_colors_menu();
    float draw_color_field(float right);
    void go_to_other_pass();
    void show_other_pass(SliceRef from);
    void walk_gaps(int by);
    void show_gap();
    void follow_theme();
    void watch_file();
    void follow_file();
    void reload();
    void reload_parts(const std::vector<std::string>& paths);
    void explain_bulk();
    void restore_view(bool whole);
    void read_notes();
    void keep_settings(double now);
    void keep_notes(bool reports);
    void put_note(const Note& note);
    void write_note();
    void delete_note();
    void show_note(uint32_t index);
    void edit_note();
    Nanos time_for_note() const;
    uint32_t part_for_note() const;
    bool act_on_notes(Action action);
    void close_document();
    // From now on the window shows this document, from its beginning.
    void begin_document(const std::string& path, std::shared_ptr<Document> document);
    void take_keys();
    HeldKeys held_keys() const;
    void carry_out(const Requests& requests);
    void carry_out(Action action);
    void take_wheel_habits();
    void dismiss();
    void apply_look();
    void write_state(bool force);

    void draw_windows(double since_last);
    void restore_layout();
    void lay_out(unsigned dockspace, ImVec2 room);
    void keep_layout(unsigned dockspace);
    void reset_layout();
    void follow_borders(unsigned dockspace);
    void choose_panel_to_move();
    void move_panel(unsigned dockspace);  // as its keys asked for
    bool act_on_columns(Action action);
    std::vector<PanelPlace> panel_places() const;
    std::vector<std::string> panels_in_front() const;
    PanelLayout chosen_layout(unsigned dockspace) const;
    void show_first_table();
    void leave_what_is_gone();
    void show_message();
    bool dialog_shown() const {
        return file_dialog_.shown() || picture_dialog_.shown() || attach_dialog_.shown() ||
               record_dialog_.shown();
    }
    void show_record();
    void draw_record();
    void follow_recorder();
    void follow_recording();
    void notice_hand();
    void refresh_tables();
    void show_snapshot(const ViewIndexPtr& index, Overview overview);
    void go_to_end();
    void switch_follow();
    void pause_recording();
    void stop_recording();
    bool act_on_recording(Action action);
    void bring_up_to_date(Requests& requests) const;
    PanelInputs inputs_of_recording(PanelInputs inputs) const;
    std::vector<LaneId> marked_lanes() const;  // in the panels' trace
    std::string recording_text() const;
    void draw_recording(ImVec2 min, ImVec2 max);
    float draw_recording_buttons(ImVec2 corner);
    void show_attach();
    void draw_attach();
    void take_captures(const AttachView& view);
    void draw_top_bar();
    void draw_menu();
    void draw_group_menu(std::string_view group);
    // Whether a toggle command is on.
    bool is_on(Action action) const;
    void draw_status_bar();
    void draw_timeline_window(double since_last);
    void draw_panels();
    bool begin_panel(std::string_view name);  // ends with a zero byte
    void underline_tabs();
    void keep_keys_inside(bool shown);
    void keep_keys_on_screen();
    // A screen of buttons is shown instead of the timeline: the start, or an error.
    bool has_screen() const { return error_ || !document_; }
    void draw_start_screen(ImVec2 min, ImVec2 max);
    void draw_loading(ImVec2 min, ImVec2 max);
    void draw_error(ImVec2 min, ImVec2 max);

    AppOptions options_;
    Settings settings_;
    std::function<void()> wake_;
    FramePacing pacing_;
    Look look_;
    FontFallback font_fallback_;
    float content_scale_ = 1;
    bool look_changed_ = true;
    Canvas canvas_;

    std::shared_ptr<Document> document_;
    std::string path_;
    std::optional<Error> error_;
    TracePtr seen_;       // the newest trace of the document
    bool fresh_ = false;  // the next trace shown is the first of its file
    bool indexing_ = false;
    bool lighting_ = false;      // searching the slices of chosen classes
    bool remembered_ = false;    // among the recent files
    bool adding_ = false;        // the file dialog adds a trace
    bool panels_ready_ = false;  // visible panels are up to date
    uint64_t opened_ = 0;        // counts files, so that late results of an earlier one are dropped

    // The traces of the window, one or several.
    struct Traces {
        TracePtr of;  // the whole trace that all of this belongs to; null until it is read
        JoinedTrace joined;
        std::vector<std::shared_ptr<const TraceContext>> contexts;  // one a part
        uint32_t shown_part = 0;                                    // that panels show
        std::vector<std::string> paths;                             // of several; else empty
        Alignment alignment;
        AlignBy aligned_by = AlignBy::best;
        std::vector<PartProblem> problems;
        std::vector<Nanos> wanted;  // requested offsets; empty: the present ones
        SliceRef anchor;            // the event that another one will be aligned with
        std::shared_ptr<const RankCollectives> ranks;
    };
    Traces traces_;
    TracesPanel traces_panel_;
    SideBySidePanel side_by_side_;

    Timeline timeline_;
    TimelineView timeline_view_;
    SliceRef described_slice_;  // the slice that `facts_` describes
    std::optional<SliceFacts> facts_;
    SelectionArguments arguments_;
    std::string lanes_path_;  // file for the arrangement of lanes; empty: not saved
    LaneArrangement lanes_kept_;
    RangePanel range_panel_;
    // The walk from gap to gap, longest first.
    struct GapWalk {
        std::shared_ptr<const TraceContext> context;
        std::optional<TimeRange> range;
        std::shared_ptr<const std::vector<IdleGap>> gaps;  // null: not known yet
        std::optional<WalkedGap> at;
        bool busy = false;
    };
    GapWalk gap_walk_;
    // Which operator is the backward pass of which.
    struct Passes {
        TracePtr of;
        std::shared_ptr<const ForwardBackward> pairs;  // null: not known yet
    };
    Passes passes_;
    struct Search {
        FindBox box;
        std::string asked;    // the text for which `timeline_.found` was or is being computed
        TracePtr trace;       // likewise
        ShownLanesPtr shown;  // likewise
        // The selection and its number among the matches; 0: not a match.
        std::optional<std::pair<SliceRef, uint64_t>> placed;
        bool busy = false;
        std::shared_ptr<ArgumentReading> reading;  // reads the file; null: it is not read
        std::optional<double> stopped_at;          // the fraction of the file that was read
        std::optional<bool> step;  // a step, forward or not, requested during the search
    };
    Search search_;
    TablePanel find_panel_{kFindPanel};
    TablePanel what_if_panel_{kWhatIfPanel};
    TracePtr what_if_of_;  // the trace of that panel's rows
    TracePtr paths_of_;    // the trace whose critical paths are shown or being computed
    CommandPalette palette_;
    // The meaning of a line in the palette: a command, its key, a panel, a file or a lane.
    struct ClassChoice {
        Slot slot = 0;
    };
    struct KeyChoice {
        Action action = Action::none;
    };
    using PaletteChoice = std::variant<Action, KeyChoice, std::string, std::filesystem::path,
                                       LaneId, ColorMode, ClassChoice>;
    std::vector<PaletteChoice> choices_;
    std::optional<LaneId> lane_wanted_;
    // The view of a file that is being reloaded; times relative to its origin.
    struct KeptView {
        Viewport view;
        double scroll_y = 0;
        std::optional<TimeRange> marked;
        std::string selected;  // name of the selection; empty: none
        Nanos selected_at = 0;
        std::optional<Nanos> shown_from;  // the origin when it was first shown
    };
    std::optional<KeptView> kept_view_;
    // Null: for a picture, which does not follow the desktop.
    std::unique_ptr<DesktopTheme> desktop_theme_;
    struct WatchedFile {
        std::string path;
        std::shared_ptr<std::atomic<bool>> changed;
        std::unique_ptr<FileWatch> watch;
    };
    std::vector<WatchedFile> watched_;
    NotesState notes_;
    TraceStory story_;
    SiblingsOfSelection siblings_;
    ModelOfSelection model_;
    RooflinePanel roofline_;
    StatisticsPanel statistics_;
    LanesTable lanes_table_;
    // Of the part that tables show; null until it is loaded.
    std::shared_ptr<const TraceContext> context_;
    std::vector<TablePanel> table_panels_;
    FileDialog file_dialog_;
    LateModifiers late_modifiers_;
    PressedKeys pressed_keys_;
    KeyMap keys_;
    KeyHelp help_;
    FrameCost frame_cost_;
    TabList tab_list_;
    PanelKeys panel_keys_;
    BorderKeys border_keys_;
    PanelMover panel_mover_;
    std::optional<PanelLayout> moved_layout_;  // that the next frame docks
    PanelRoom roofline_room_{kRooflinePanel};
    ColumnKeys column_keys_;

    Legend legend_;
    PictureDialog picture_dialog_;
    AttachDialog attach_dialog_;
    uint64_t attach_seen_ = 0;            // number of captures that have been opened
    std::unique_ptr<Attacher> attacher_;  // null: not listening
    RecordDialog record_dialog_;
    // A recording that is being followed.
    struct Live {
        std::unique_ptr<Recorder> recorder;  // started by this window; null: none
        bool on = false;
        std::optional<FollowStatus> status;  // of this frame; none: not following
        bool follows = true;                 // the view, the end
        std::optional<Viewport> target;      // the last view set by following
        double span = 0;                     // ns in view; 0: as at first
        // Of a snapshot that may be older than the visible one.
        std::shared_ptr<const TraceContext> tables;
        TracePtr tables_of;
        double tables_at = 0;                                // when they were asked for …
        double tables_done = 0;                              // … and seen to be made
        std::vector<std::pair<std::string, ImVec2>> places;  // of its buttons, for tests
    };
    Live live_;
    std::optional<PictureRequest> picture_wanted_;
    ColorMode color_mode_ = ColorMode::category;  // that is wanted
    bool color_chosen_ = false;                   // otherwise the mode that fits the trace
    bool colored_unseen_ = false;                 // lanes with colours of a chosen mode, so far
    bool picture_taken_ = false;
    bool counting_ = false;  // the slices of the marked range
    bool finding_alike_ = false;
    // The trace whose lost time the overview shows or will show.
    TracePtr lost_of_;
    std::vector<Warning> model_warnings_;  // its arguments that models could not use
    bool menu_wanted_ = false;
    bool menu_shown_ = false;
    std::optional<ImVec2> slice_menu_at_;  // where a key opens the menu
    std::optional<ImVec2> head_menu_at_;
    std::optional<bool> screen_has_keys_;  // of an error or the start; none: no screen
    bool layout_wanted_ = true;
    bool narrow_layout_ = false;
    std::string panel_wanted_;  // to be brought to the front; empty: none
    FirstTable first_table_;
    std::optional<PanelLayout> layout_;  // the user's own; none: the default
    ImVec2 layout_room_;
    ImVec2 color_place_;          // position of the field of colour modes in the top bar
    int frames_with_panels_ = 0;  // since all panels have been drawn
    std::string greeting_;        // a message for the first frame
    std::string message_;
    double message_until_ = 0;
    double now_ = 0;
    double unsaved_since_ = 0;  // 0: the settings are saved
    std::string state_written_;
    Requests requests_;

    Worker arguments_worker_;  // last members: their jobs use all others
    Worker analysis_worker_;
    Worker worker_;
};

}  // namespace lanescope
