// The open document, the actions of keys and buttons, and when the next frame is due.
#include "ui/app/app.h"

#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/format.h"
#include "core/registry/tables.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr double kLoadingFrameSeconds = 0.1;  // interval of progress updates
constexpr double kMessageSeconds = 6;
constexpr uint32_t kOverviewColumns = 4096;
constexpr double kSettingsSeconds = 1;

}  // namespace

App::App(AppOptions options, std::function<void()> wake)
    : options_(std::move(options)),
      settings_(options_.settings),
      wake_(std::move(wake)),
      look_{.fonts = load_fonts()},
      font_fallback_({look_.fonts.regular, look_.fonts.medium, look_.fonts.mono}),
      arguments_worker_([this] { wake_(); }),
      analysis_worker_([this] { wake_(); }),
      worker_([this] { wake_(); }) {
    for (const TablePanelName& name : table_panel_names())
        if (find_table(name.table)) table_panels_.emplace_back(name.table, name.title);
    if (!options_.still) desktop_theme_ = std::make_unique<DesktopTheme>(wake_);
    follow_theme();
    timeline_.head_width = static_cast<float>(settings_.lane_head_width);
    timeline_.camera.set_motion(settings_.motion);
    take_wheel_habits();
    color_mode_ = options_.color.value_or(ColorMode::category);
    color_chosen_ = colored_unseen_ = options_.color.has_value();
    keys_ = make_key_map(settings_.keys);
    restore_layout();
}

App::~App() {
    stop_reading();
    if (document_) document_->cancel();
}

void App::open(const std::string& path) {
    begin_document(path, Document::open(path, wake_));
    if (!options_.still) watch_file();
}

void App::begin_document(const std::string& path, std::shared_ptr<Document> document) {
    close_document();
    path_ = path;
    error_.reset();
    fresh_ = true;
    remembered_ = false;
    ++opened_;
    document_ = std::move(document);
    pacing_.wake();
}

// Joining the loader takes a moment: the worker does it, not the window.
void App::close_document() {
    stop_reading();
    if (document_) {
        document_->cancel();
        worker_.post([document = std::exchange(document_, nullptr)]() mutable {
            document.reset();
            return Worker::Finish();
        });
    }
    seen_.reset();
    live_.on = false;
    live_.status.reset();
    live_.tables.reset();
    live_.tables_of.reset();
    live_.span = 0;
    live_.tables_at = 0;
    traces_ = {};
    adding_ = false;
    forget_panels();
    context_.reset();
    panels_ready_ = false;
    path_.clear();
    close_trace(timeline_);
    timeline_view_.forget();
    timeline_.camera.set_motion(settings_.motion);
    described_slice_ = {};
    facts_.reset();
    arguments_ = {};
    if (!color_chosen_) color_mode_ = ColorMode::category;
    lost_of_.reset();
    paths_of_.reset();
    what_if_of_.reset();
    gap_walk_ = {};
    passes_ = {};
    notes_ = {};
    kept_view_.reset();
    lanes_table_.set_rows({});
}

void App::set_content_scale(float scale) {
    if (scale == content_scale_) return;
    content_scale_ = scale;
    look_changed_ = true;
}

void App::set_theme(ThemeChoice choice) {
    settings_.theme = choice;
    follow_theme();
}

void App::follow_theme() {
    Theme theme = settings_.theme == ThemeChoice::light ? Theme::light : Theme::dark;
    if (settings_.theme == ThemeChoice::desktop && desktop_theme_)
        theme = desktop_theme_->theme().value_or(Theme::dark);
    if (theme == look_.theme) return;
    look_.theme = theme;
    look_changed_ = true;
}

bool App::show_panel(std::string_view name) {
    const auto panels = panel_names();
    if (std::find(panels.begin(), panels.end(), name) == panels.end()) return false;
    if (name != kSelectionPanel && name != kRangePanel && name != kNotesPanel)
        settings_.tables_shown = true;
    panel_wanted_ = name;
    first_table_.choose(name);
    return true;
}

void App::set_window_size(int width, int height) {
    settings_.window_width = width;
    settings_.window_height = height;
}

std::string App::title() const {
    return path_.empty() ? "Lanescope" : shown_name() + " – Lanescope";
}

bool App::settled() const {
    if (error_) return worker_.idle();
    return document_ && !document_->loading() && seen_ && seen_ == document_->trace() &&
           traces_.of == seen_ && traces_.wanted.empty() && !indexing_ && colors_ready() &&
           (!colored_unseen_ || timeline_.areas.lanes.height() <= 0) && !counting_ &&
           !font_fallback_.pending() && timeline_.index && worker_.idle() && !search_.busy &&
           !first_table_.is_due() && panels_ready_ && analysis_worker_.idle();
}

std::optional<PictureRequest> App::take_picture_request() {
    return std::exchange(picture_wanted_, std::nullopt);
}

void App::notify(std::string message, double now) {
    message_ = std::move(message);
    message_until_ = now + kMessageSeconds;
    pacing_.wake();
}

void App::save_settings_now() {
    settings_.lane_head_width = static_cast<double>(timeline_.head_width);
    if (options_.settings_path.empty() || settings_ == options_.settings) return;
    if (const auto saved = save_settings(settings_, options_.settings_path); saved)
        options_.settings = settings_;
}

// One second after the last change, so that a crash does not lose settings.
void App::keep_settings(double now) {
    settings_.lane_head_width = static_cast<double>(timeline_.head_width);
    if (options_.settings_path.empty() || settings_ == options_.settings) {
        unsaved_since_ = 0;
    } else if (unsaved_since_ == 0) {
        unsaved_since_ = now;
    } else if (now - unsaved_since_ >= kSettingsSeconds) {
        save_settings_now();
        options_.settings = settings_;  // a failed save is not repeated in every frame
        unsaved_since_ = 0;
    }
    if (unsaved_since_ > 0) pacing_.set_deadline(unsaved_since_ + kSettingsSeconds);
}

void App::apply_look() {
    if (!std::exchange(look_changed_, false)) return;
    const float scale = static_cast<float>(settings_.scale) * content_scale_;
    if (scale != look_.scale) layout_wanted_ = true;
    look_.scale = scale;
    look_.colors = packed_colors(look_.theme);
    apply_style(look_);
}

void App::poll_document(double now) {
    worker_.finish_jobs();
    analysis_worker_.finish_jobs();
    arguments_worker_.finish_jobs();
    if (!document_) return;
    const bool loading = document_->loading();
    if (loading) pacing_.set_deadline(now + kLoadingFrameSeconds);
    if (const TracePtr trace = document_->trace(); trace && trace != seen_ && !indexing_) {
        seen_ = trace;
        index_in_background(trace);
    }
    if (loading || error_) return;
    if (auto error = document_->error()) {
        const bool cancelled = error->code == ErrorCode::cancelled;
        const std::string path = path_;
        close_document();
        if (cancelled) {
            notify("Loading was cancelled: " + std::filesystem::path(path).filename().string(),
                   now);
        } else {
            error_ = std::move(error);
            path_ = path;
        }
        return;
    }
    // Data that a snapshot of a load lacks would make wrong tables.
    if (timeline_.index && timeline_.index->trace == document_->trace() &&
        traces_.of != timeline_.index->trace) {
        take_traces();
        find_idle();
        if (!kept_view_ && timeline_.camera.untouched()) explain_bulk();
        first_table_.set_due(!kept_view_ && settings_.tables_shown && !live_.on);
        restore_view(true);
        read_notes();
    }
    if (traces_.of && !std::exchange(remembered_, true)) {
        for (const TracePtr& part : traces_.joined.parts) remember_file(settings_, part->path);
        save_settings_now();
    }
}

void App::index_in_background(TracePtr trace) {
    indexing_ = true;
    worker_.post([this, trace, filter = timeline_.arrangement.filter, file = opened_] {
        ViewIndexPtr index = build_view_index(trace, filter);
        Overview overview = build_overview(*index, trace->content, kOverviewColumns);
        return [this, file, index = std::move(index), overview = std::move(overview)] {
            indexing_ = false;
            if (file != opened_ || !document_) return;
            if (live_.on && !fresh_ && timeline_.index) {
                lanes_table_.set_rows(lane_rows(*index->trace));
                show_snapshot(index, overview);
                pacing_.wake();
                return;
            }
            lanes_table_.set_rows(lane_rows(*index->trace));
            const KeptSlices kept = kept_slices(*index->trace);
            if (!fresh_ && timeline_.index) take_over_lanes(timeline_.trace(), index->trace);
            const bool first = std::exchange(fresh_, false);
            forget_contexts();
            show_trace(timeline_, index, overview, first);
            if (!first) restore_slices(kept);
            if (first) restore_lanes(index->trace);
            if (first) restore_view(false);
            if (live_.on) go_to_end();
            pacing_.wake();
        };
    });
    // After the timeline is shown: the busy time reads every slice.
    if (document_->following()) return;
    worker_.post([this, trace = std::move(trace), file = opened_] {
        return [this, file, lanes = with_busy_times(*trace, lane_rows(*trace))] {
            if (file == opened_ && document_) lanes_table_.set_rows(lanes);
            pacing_.wake();
        };
    });
}

void App::follow_selection() {
    timeline_.selections.note(timeline_.selected);
    if (timeline_.selected == described_slice_ && (!described_slice_ || facts_)) return;
    described_slice_ = timeline_.selected;
    timeline_.named_lane.reset();
    facts_.reset();
    arguments_ = {};
    if (!described_slice_ || !timeline_.index) return;
    const uint32_t part = part_of(timeline_.trace(), described_slice_.lane);
    show_part(part);
    facts_ = facts_of(*trace_of(described_slice_.lane), described_slice_);
    worker_.post(
        [this, document = document_, slice = described_slice_, source = facts_->source, part] {
            auto read = document->arguments(source, part);
            return [this, slice, read = std::move(read)] {
                if (slice == described_slice_) arguments_.read = read;
                pacing_.wake();
            };
        });
}

// A long range of a large trace has too many slices to count within a frame.
void App::follow_marked_range() {
    if (counting_ || !timeline_.index || !timeline_.marked || timeline_.marked->slices) return;
    counting_ = true;
    const RangeQuery range{timeline_.marked->time, timeline_.marked->lanes};
    worker_.post([this, trace = timeline_.index->trace, range] {
        return [this, trace, range, slices = count_slices(*trace, range)] {
            counting_ = false;
            if (timeline_.index && timeline_.index->trace == trace && timeline_.marked &&
                RangeQuery{timeline_.marked->time, timeline_.marked->lanes} == range)
                timeline_.marked->slices = slices;
            pacing_.wake();
        };
    });
}

void App::begin_frame() {
    late_modifiers_.set_aside();
    if (font_fallback_.take_in()) pacing_.wake();
}

void App::frame(double now, double since_last) {
    now_ = now;
    late_modifiers_.put_back();
    frame_cost_.begin();
    pacing_.frame_begins(now);
    if (!greeting_.empty()) notify(std::exchange(greeting_, {}), now);
    follow_file();
    poll_document(now);
    follow_recording();
    follow_theme();
    apply_look();
    canvas_.begin_frame();
    requests_ = {};
    take_keys();
    draw_windows(since_last);
    bring_up_to_date(requests_);
    carry_out(requests_);
    follow_search();
    follow_lane_wanted();
    follow_moves();
    follow_selection();
    follow_ranks();
    follow_marked_range();
    follow_lanes();
    follow_colors();
    follow_classes();
    follow_lost_time();
    if (auto job = font_fallback_.job()) worker_.post(std::move(job));
    // Dear ImGui handles one of several quick key presses per frame, and keeps the rest.
    if (ImGui::GetCurrentContext()->InputEventsQueue.Size > 0) pacing_.wake();
    pacing_.set_moving(timeline_view_.moving());
    if (message_until_ > now) pacing_.set_deadline(message_until_);
    keep_settings(now);
    frame_cost_.end();
    write_state(false);
}

void App::clear_background() const {
    const ImGuiIO& io = ImGui::GetIO();
    canvas_.clear(look_.colors.bg, io.DisplaySize, io.DisplayFramebufferScale);
}

void App::write_state(bool force) {
    if (options_.state_path.empty()) return;
    StateFacts facts;
    facts.file = path_;
    // A trace may have arrived since this frame checked.
    facts.loading = document_ && (document_->loading() || indexing_ || document_->trace() != seen_);
    facts.error = error_ ? &*error_ : nullptr;
    facts.timeline = &timeline_;
    facts.moving = timeline_view_.moving();
    facts.inputs = pacing_.inputs();
    facts.waiting_inputs = ImGui::GetCurrentContext()->InputEventsQueue.Size;
    facts.at_rest = pacing_.plan(now_).sleep != FramePacing::Sleep::none && worker_.idle() &&
                    analysis_worker_.idle() && arguments_worker_.idle();
    facts.selection = facts_ ? &*facts_ : nullptr;
    facts.arguments = arguments_.read && *arguments_.read ? &**arguments_.read : nullptr;
    facts.theme = look_.theme;
    facts.tables_shown = settings_.tables_shown;
    facts.legend = &legend_;
    facts.color_place = color_place_;
    facts.dialog_shown = dialog_shown();
    facts.picture_dialog = &picture_dialog_;
    const std::shared_ptr<const AttachView> attach = attacher_ ? attacher_->view() : nullptr;
    facts.attach_dialog = &attach_dialog_;
    facts.record_dialog = record_dialog_.shown() ? &record_dialog_ : nullptr;
    if (live_.status)
        facts.following = {&*live_.status, live_.follows, live_.tables != nullptr, &live_.places};
    facts.attach = attach.get();
    facts.help = &help_;
    facts.search = {&search_.box, search_status(), search_.busy, search_.reading != nullptr};
    facts.palette = &palette_;
    facts.keys = &keys_;
    facts.menu_shown = menu_shown_;
    if (message_until_ > now_) facts.message = message_;
    facts.panels = panel_places();
    facts.tab_list = &tab_list_;
    facts.frame_cost = &frame_cost_;
    facts.keys_in = panel_keys_.panel();
    facts.border = border_keys_.shown();
    facts.panel_moved = panel_mover_.panel();
    facts.column = column_keys_.chosen();
    facts.notes = &notes_;
    facts.statistics = &statistics_;
    facts.model = model_.get();
    facts.model_warnings = model_warnings_.size();
    facts.roofline = &roofline_;
    facts.range = &range_panel_;
    facts.lanes_table = &lanes_table_;
    const TracesShown traces = shown_traces();
    facts.traces = &traces;
    facts.traces_panel = &traces_panel_;
    facts.side_by_side = &side_by_side_;
    if (!timeline_.selected) facts.story = &story_.sentences();
    if (gap_walk_.at && !timeline_.selected) facts.gap = &*gap_walk_.at;
    std::string text = state_text(facts);
    if (!force && text == state_written_) return;
    if (write_state_file(options_.state_path, text)) state_written_ = std::move(text);
}

}  // namespace lanescope
