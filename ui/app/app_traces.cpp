// Several traces in one window: opened together, added, moved, removed; and which of them the
// panels show.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/analysis/structure/steps.h"
#include "core/base/format.h"
#include "core/trace/same_slice.h"
#include "core/view/short_name.h"
#include "ui/app/app.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr double kMovePixels = 10;  // by a key
// A recording's clock may be known more precisely at its end.
constexpr Nanos kClockTolerance = 2'000'000;

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

// The part of that name with as many lanes; null: none.
const TracePart* same_part(const Trace& trace, const TracePart& part) {
    for (const TracePart& other : trace.parts)
        if (other.key == part.key && other.lane_count == part.lane_count) return &other;
    return nullptr;
}

// The lane in another join of the same traces.
std::optional<LaneId> lane_in(const Trace& before, const Trace& after, LaneId lane) {
    TracePart from;
    from.key = before.path;
    from.lane_count = static_cast<uint32_t>(before.lanes.size());
    if (!before.parts.empty()) from = before.parts[part_of(before, lane)];
    const TracePart* to = same_part(after, from);
    if (!to) return std::nullopt;
    return lane - from.first_lane + to->first_lane;
}

}  // namespace

void App::open(const std::vector<std::string>& paths, const Alignment& alignment) {
    if (paths.size() == 1) {
        open(paths.front());
        return;
    }
    close_document();
    path_ = paths.front();
    error_.reset();
    fresh_ = true;
    ++opened_;
    std::vector<PartToOpen> parts;
    parts.reserve(paths.size());
    for (const std::string& path : paths) parts.push_back({path, nullptr, std::nullopt});
    reopen(std::move(parts), alignment);
}

void App::take_dropped(const std::vector<std::string>& paths) {
    if (!paths.empty()) open(paths, {});
}

void App::add_trace(const std::string& path) {
    if (!document_) {
        open(path);
        return;
    }
    if (still_reading()) return;
    std::vector<PartToOpen> parts = open_parts();
    parts.push_back({path, nullptr, std::nullopt});
    reopen(std::move(parts), traces_.alignment);
    show_panel(kTracesPanel);
}

// Work that another join would drop; reports if there is any.
bool App::still_reading() {
    const bool reading = document_ && (document_->loading() || traces_.of != document_->trace());
    if (reading) notify("This can be done once the traces are read.", now_);
    return reading;
}

// The open parts, not to be read again.
std::vector<PartToOpen> App::open_parts() const {
    std::vector<PartToOpen> parts;
    parts.reserve(traces_.joined.parts.size());
    for (const TracePtr& part : traces_.joined.parts)
        parts.push_back({part->path, part, shift_of(*part)});
    return parts;
}

// The timeline stays as it is until the new joined trace replaces it.
void App::reopen(std::vector<PartToOpen> parts, const Alignment& alignment) {
    traces_.alignment = alignment;
    traces_.wanted.clear();
    path_ = parts.front().path;
    remembered_ = false;
    if (document_) {
        document_->cancel();
        worker_.post([document = std::exchange(document_, nullptr)]() mutable {
            document.reset();
            return Worker::Finish();
        });
    }
    traces_.paths.clear();
    for (const PartToOpen& part : parts) traces_.paths.push_back(part.path);
    lanes_path_ = lanes_path_of();
    document_ = Document::open(std::move(parts), alignment, wake_);
    if (!options_.still) watch_file();
    pacing_.wake();
}

std::string App::shown_name() const {
    std::string name = file_name(path_);
    if (traces_.paths.size() > 1)
        name += " and " + std::to_string(traces_.paths.size() - 1) + " more";
    return name;
}

// The joined trace has been read and is on the timeline.
void App::take_traces() {
    traces_.of = timeline_.index->trace;
    traces_.joined = document_->joined();
    if (traces_.joined.parts.empty()) traces_.joined = {traces_.of, {traces_.of}};
    traces_.contexts.clear();
    traces_.paths.clear();
    for (const TracePtr& part : traces_.joined.parts) {
        traces_.paths.push_back(part->path);
        traces_.contexts.push_back(std::make_shared<const TraceContext>(part, options_.specs));
    }
    traces_.shown_part =
        std::min(traces_.shown_part, static_cast<uint32_t>(traces_.contexts.size() - 1));
    context_ = traces_.contexts[traces_.shown_part];
    path_ = traces_.paths.front();
    traces_.aligned_by = document_->aligned_by();
    traces_.problems = document_->problems();
    if (!traces_.problems.empty()) {
        const PartProblem& first = traces_.problems.front();
        const std::size_t others = traces_.problems.size() - 1;
        notify(file_name(first.path) + " is not shown: " + first.error.text +
                   (others > 0 ? " And " + std::to_string(others) + " more: see Traces." : ""),
               now_);
    } else if (const auto problem = document_->alignment_problem()) {
        notify(problem->text, now_);
    }
    match_ranks();
}

std::optional<Error> App::first_problem() const {
    if (error_) return error_;
    if (!traces_.problems.empty()) return traces_.problems.front().error;
    return document_ ? document_->alignment_problem() : std::nullopt;
}

TracePtr App::trace_of(LaneId lane) const {
    const TracePtr& shown = timeline_.index->trace;
    if (traces_.of != shown || traces_.joined.parts.size() < 2) return shown;
    return traces_.joined.parts[part_of(*shown, lane)];
}

// Tables show the trace of the selection.
void App::show_part(uint32_t part) {
    if (part >= traces_.contexts.size() || part == traces_.shown_part) return;
    traces_.shown_part = part;
    context_ = traces_.contexts[part];
    pacing_.wake();
}

// The parts of the view that a new joined trace keeps; to be called before it is shown.
App::KeptSlices App::kept_slices(const Trace& after) const {
    KeptSlices kept;
    if (!timeline_.index) return kept;
    const Trace& before = timeline_.trace();
    if (before.parts.empty() && after.parts.empty()) {
        kept.selected = same_slice(before, timeline_.selected, after, kClockTolerance);
        if (timeline_.marked)
            for (const LaneId id : timeline_.marked->lanes)
                if (const auto lane = same_lane(before, id, after)) kept.marked.push_back(*lane);
        return kept;
    }
    if (timeline_.selected)
        if (const auto lane = lane_in(before, after, timeline_.selected.lane))
            kept.selected = {*lane, timeline_.selected.index};
    if (traces_.anchor)
        if (const auto lane = lane_in(before, after, traces_.anchor.lane))
            kept.anchor = {*lane, traces_.anchor.index};
    if (timeline_.marked)
        for (const LaneId id : timeline_.marked->lanes)
            if (const auto lane = lane_in(before, after, id)) kept.marked.push_back(*lane);
    return kept;
}

void App::restore_slices(const KeptSlices& kept) {
    timeline_.selected = kept.selected;
    traces_.anchor = kept.anchor;
    if (!timeline_.marked) return;
    timeline_.marked->lanes = kept.marked;
    std::ranges::sort(timeline_.marked->lanes);
}

// Includes invisible panels, which would keep the old trace alive.
void App::forget_panels() {
    for (TablePanel& panel : table_panels_) panel.forget();
    find_panel_.forget();
    what_if_panel_.forget();
    range_panel_.forget();
    roofline_.forget();
    side_by_side_.forget();
    siblings_.clear();
    model_.clear();
}

// Contexts refer to slices of their joined trace.
void App::forget_contexts() {
    forget_panels();
    context_.reset();
    traces_.of.reset();
    traces_.joined = {};
    traces_.contexts.clear();
    traces_.ranks.reset();
    timeline_.same_call.clear();
    timeline_.gap.reset();
    gap_walk_ = {};
    described_slice_ = {};
    facts_.reset();
}

void App::move_part(uint32_t part, Nanos by) {
    if (traces_.joined.parts.size() < 2 || by == 0) return;
    if (traces_.wanted.empty())
        for (const TracePtr& trace : traces_.joined.parts)
            traces_.wanted.push_back(shift_of(*trace));
    traces_.wanted[part] += by;
    pacing_.wake();
}

// Moves requested while others were in progress are executed together.
void App::follow_moves() {
    if (traces_.wanted.empty() || !document_ || document_->loading() || indexing_ ||
        traces_.of != document_->trace())
        return;
    std::vector<PartToOpen> parts = open_parts();
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].offset = traces_.wanted[i];
    reopen(std::move(parts), {AlignBy::by_hand, 0, {}});
}

void App::remove_part(uint32_t part) {
    if (still_reading()) return;
    std::vector<PartToOpen> parts = open_parts();
    if (parts.size() < 2 || part >= parts.size()) return;
    parts.erase(parts.begin() + part);
    if (traces_.shown_part >= part && traces_.shown_part > 0) --traces_.shown_part;
    reopen(std::move(parts), {AlignBy::by_hand, 0, {}});
}

void App::align(const Alignment& alignment) {
    if (still_reading()) return;
    if (traces_.joined.parts.size() < 2) {
        notify("There is nothing to align until another trace is added.", now_);
        return;
    }
    reopen(open_parts(), alignment);
}

// By the step around the selection or, without one, around the middle of the view.
void App::align_by_step() {
    if (!context_) return;
    const TimeRange view = timeline_.camera.view().range();
    const Nanos time = timeline_.selected ? timeline_.trace().start(timeline_.selected)
                                          : view.begin + view.length() / 2;
    for (const Step& step : context_->get<Steps>().all) {
        if (!step.range.contains(time)) continue;
        align({AlignBy::step, step.index, {}});
        return;
    }
    notify("There is no step here to align by.", now_);
}

// The first call remembers the selection, the second one moves the other trace to it.
void App::align_events() {
    if (!timeline_.selected) {
        notify("Select an event first.", now_);
        return;
    }
    const Trace& trace = timeline_.trace();
    const uint32_t part = part_of(trace, timeline_.selected.lane);
    if (!traces_.anchor || part_of(trace, traces_.anchor.lane) == part) {
        traces_.anchor = timeline_.selected;
        notify("Now select the event of another trace that begins together with " +
                   brief_name(short_name(trace, traces_.anchor)) + ", and do this again.",
               now_);
        return;
    }
    move_part(part, trace.start(traces_.anchor) - trace.start(timeline_.selected));
    traces_.anchor = {};
}

// Moves the trace under the pointer, or else that of the selection, by a few pixels' time.
void App::nudge(int direction) {
    if (!timeline_.index || traces_.joined.parts.size() < 2) return;
    const Trace& trace = timeline_.trace();
    uint32_t part = traces_.shown_part;
    if (const auto lane = lane_meant(timeline_)) part = part_of(trace, *lane);
    const Viewport& view = timeline_.camera.view();
    const auto by = std::max<Nanos>(1, std::llround(kMovePixels * view.span / view.width));
    move_part(part, direction * by);
}

bool App::act_on_traces(Action action) {
    switch (action) {
        case Action::add_trace:
            adding_ = document_ != nullptr;
            file_dialog_.show(
                path_.empty() ? "" : std::filesystem::absolute(path_).parent_path().string());
            return true;
        case Action::align_start:
            align({AlignBy::start, 0, {}});
            return true;
        case Action::align_clock:
            align({AlignBy::clock, 0, {}});
            return true;
        case Action::align_step:
            align_by_step();
            return true;
        case Action::align_events:
            align_events();
            return true;
        case Action::trace_earlier:
            nudge(-1);
            return true;
        case Action::trace_later:
            nudge(1);
            return true;
        case Action::next_tables:
            if (!traces_.contexts.empty())
                show_part((traces_.shown_part + 1) %
                          static_cast<uint32_t>(traces_.contexts.size()));
            return true;
        default:
            return false;
    }
}

TracesShown App::shown_traces() const {
    return {traces_.joined.parts, traces_.shown_part, traces_.alignment,
            traces_.aligned_by,   is_moving(),        traces_.problems};
}

void App::draw_traces_panel() {
    const TracesAnswer answer = traces_panel_.draw(shown_traces(), look_, requests_);
    if (answer.tell) show_part(*answer.tell);
    if (answer.begin_at) {
        const auto [part, begin] = *answer.begin_at;
        const Trace& trace = *traces_.joined.parts[part];
        move_part(part, trace.origin + begin - file_span(trace).begin);
    }
    if (answer.frame) requests_.frame_range = traces_.joined.parts[*answer.frame]->content;
    if (answer.align) align(*answer.align);
    if (answer.remove) remove_part(*answer.remove);
}

void App::draw_side_by_side(const PanelInputs& inputs) {
    const auto clicked = side_by_side_.draw(
        {traces_.contexts, traces_.shown_part, inputs.range, inputs.worker}, look_, requests_);
    panels_ready_ = panels_ready_ && (!context_ || side_by_side_.ready());
    if (!clicked) return;
    show_part(*clicked);
    requests_.frame_range = traces_.joined.parts[*clicked]->content;
}

bool App::is_moving() const {
    return !traces_.wanted.empty() || (document_ && document_->loading());
}

// A choice of the trace above its table, if several are shown.
void App::draw_part_choice() {
    if (traces_.joined.parts.size() < 2) return;
    const Trace& trace = *traces_.joined.whole;
    ImGui::PushFont(look_.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look_.px(8), look_.px(3)});
    ImGui::SetNextItemWidth(look_.px(110));
    if (ImGui::BeginCombo("##of", trace.parts[traces_.shown_part].name.c_str())) {
        for (uint32_t i = 0; i < trace.parts.size(); ++i)
            if (ImGui::Selectable(trace.parts[i].name.c_str(), i == traces_.shown_part))
                show_part(i);
        ImGui::EndCombo();
    }
    ImGui::SetItemTooltip("The trace that panels show");
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

}  // namespace lanescope
