#include "ui/features/search.h"

#include <imgui_internal.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/search/matches_table.h"
#include "core/trace/same_slice.h"
#include "ui/timeline/found_layer.h"
#include "ui/timeline/lane_parts.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxMatchRows = 500'000;  // maximum number of rows in the panel
constexpr std::size_t kHistory = 30;
constexpr double kUpdateSeconds = 0.1;

bool reads_file(const Result<SearchExpression>& expression) {
    return expression && reads_arguments(*expression);
}

}  // namespace

SearchFeature::~SearchFeature() {
    stop_reading();
}

std::span<const Action> SearchFeature::actions() const {
    static constexpr Action kActions[] = {Action::find, Action::find_next, Action::find_previous,
                                          Action::find_filter};
    return kActions;
}

void SearchFeature::act(Action action, Frame& frame) {
    if (action == Action::find)
        box_.focus();
    else if (action == Action::find_filter)
        next_filter(frame);
    else
        step(action == Action::find_next, frame);
}

// Keys while typing a search. The field itself reports Enter without a Shift that is held.
bool SearchFeature::take_key(ImGuiKeyChord pressed, Frame& frame) {
    if (!box_.focused()) return false;
    const ImGuiKeyChord chord = plain_chord(pressed);
    const bool back = chord == (ImGuiMod_Shift | ImGuiKey_Enter);
    if (!back && chord != ImGuiKey_Enter) return false;
    frame.requests.act(back ? Action::find_previous : Action::find_next);
    box_.focus();  // Shift+Enter leaves the field
    return true;
}

bool SearchFeature::dismiss(Layer layer, Frame& frame) {
    if (layer == Layer::reading) {
        if (!stop_reading()) return false;
        frame.notify("The search in arguments was stopped.");
        return true;
    }
    if (layer != Layer::search || box_.text().empty()) return false;
    box_.clear();
    return true;
}

bool SearchFeature::searches() const {
    return finding_.busy() || reading_;
}

void SearchFeature::follow(Frame& frame) {
    const ViewIndexPtr& index = frame.timeline.index;
    const TracePtr trace = index ? index->trace : nullptr;
    const ShownLanesPtr shown = index ? index->shown : nullptr;
    follow_reading(frame);
    if (searches() || (asked_ == box_.text() && trace_ == trace && shown_ == shown)) return;
    Result<SearchExpression> expression = parse_search(box_.text());
    const bool reads = reads_file(expression);
    // A file that is still loading cannot be read again yet.
    if (reads && trace && !(frame.loaded() && frame.loaded()->whole == trace)) return;
    asked_ = box_.text();
    trace_ = trace;
    shown_ = shown;
    stopped_at_.reset();
    box_.set_error(std::nullopt);
    if (!expression) box_.set_error(expression.error());
    if (!expression || expression->empty() || !trace || reads) set_found(nullptr, frame);
    if (!expression || expression->empty() || !trace) {
        step_.reset();
        return;
    }
    if (reads) {
        read_arguments(*expression, frame);
        return;
    }
    finding_.ask(
        frame.jobs,
        [trace, shown, expression = *expression, range = frame.timeline.index->bulk] {
            return mark_matches(find_matches(trace, expression), range, lane_parts(shown));
        },
        [this, &frame, trace](const FoundPtr& found) {
            frame.pacing.wake();
            if (!frame.timeline.index) return;
            if (frame.timeline.index->trace == trace) return set_found(found, frame);
            // On a busy machine, a recording grows faster than its snapshots are searched, and the
            // newest one may never have matches.
            if (const auto wanted = std::exchange(step_, std::nullopt))
                step_in(*found, *wanted, frame);
        });
}

void SearchFeature::read_arguments(const SearchExpression& expression, Frame& frame) {
    reading_ = std::make_shared<ArgumentReading>();
    std::vector<TracePtr> files = frame.loaded()->parts;
    if (files.size() < 2) files = {trace_};
    frame.jobs.run(
        [trace = trace_, shown = shown_, expression, files = std::move(files), reading = reading_,
         range = frame.timeline.index->bulk]() -> std::optional<Error> {
            const auto marked = [&](Matches matches) {
                return mark_matches(std::move(matches), range, lane_parts(shown));
            };
            auto found =
                search_arguments(trace, files, expression, {}, reading->progress,
                                 [&](Matches some) { reading->publish(marked(std::move(some))); });
            if (!found) return found.error();
            reading->publish(marked(std::move(*found)));
            return std::nullopt;
        },
        [this, &frame, reading = reading_](const std::optional<Error>& problem) {
            frame.pacing.wake();
            if (reading_ == reading) end_reading(problem, frame);
        },
        JobQueue::reading);
}

void SearchFeature::end_reading(const std::optional<Error>& problem, Frame& frame) {
    take_newly_found(frame);
    const std::shared_ptr<ArgumentReading> reading = std::move(reading_);
    // A search that was replaced reports nothing.
    if (asked_ != box_.text()) return;
    if (reading->progress.stop) stopped_at_ = reading->progress.part();
    if (problem) box_.set_error(Error{problem->code, 0, problem->text});
}

void SearchFeature::take_newly_found(Frame& frame) {
    const FoundPtr found = reading_->take();
    if (found && frame.timeline.index && frame.timeline.index->trace == found->matches.trace)
        set_found(found, frame);
}

// Once a frame during the search.
void SearchFeature::follow_reading(Frame& frame) {
    if (!reading_) return;
    take_newly_found(frame);
    frame.pacing.set_deadline(frame.now + kUpdateSeconds);
    const ViewIndexPtr& index = frame.timeline.index;
    const bool given_up =
        asked_ != box_.text() || !index || index->trace != trace_ || index->shown != shown_;
    if (given_up) reading_->progress.stop = true;
}

// False if the file is not being read.
bool SearchFeature::stop_reading() {
    if (!reading_) return false;
    reading_->progress.stop = true;
    return true;
}

// "43 %", or the fraction at which the search was stopped.
std::string SearchFeature::reading_status(const Frame& frame) const {
    const FoundPtr& found = frame.timeline.layer<FoundLayer>().found;
    const std::string count =
        found ? format_count(static_cast<int64_t>(found->matches.count)) : "0";
    if (reading_) return count + " found · " + format_percent(reading_->progress.part());
    return count + " found, stopped at " + format_percent(*stopped_at_);
}

std::string SearchFeature::status(const Frame& frame) const {
    if (box_.error()) return "?";
    if (reading_ || stopped_at_) return reading_status(frame);
    if (finding_.busy()) return "…";
    const FoundPtr& found = frame.timeline.layer<FoundLayer>().found;
    if (!found) return {};
    const uint64_t count = found->matches.count;
    if (count == 0) return "nothing found";
    const SliceRef slice = frame.timeline.selected;
    if (!placed_ || placed_->first != slice) {
        const uint64_t place =
            slice && found->matches.test(slice) ? matches_before(found->matches, slice) + 1 : 0;
        placed_ = {slice, place};
    }
    const std::string all = format_count(static_cast<int64_t>(count));
    return placed_->second == 0
               ? all + " found"
               : format_count(static_cast<int64_t>(placed_->second)) + " of " + all;
}

void SearchFeature::set_found(const FoundPtr& found, Frame& frame) {
    frame.timeline.layer<FoundLayer>().found = found;
    placed_.reset();
    if (!found) {
        panel_.set_source({});
        return;
    }
    panel_.set_source([found](const TraceContext&, const TableQuery& query) {
        return query.range ? matches_table(matches_within(found->matches, query), kMaxMatchRows)
                           : matches_table(found->matches, kMaxMatchRows);
    });
    if (const auto wanted = std::exchange(step_, std::nullopt)) step(*wanted, frame);
}

void SearchFeature::step(bool forward, Frame& frame) {
    // Each snapshot of a recording is searched again, and has no matches until then.
    const FoundPtr& found = frame.timeline.layer<FoundLayer>().found;
    if (found)
        step_in(*found, forward, frame);
    else if (!box_.text().empty())
        step_ = forward;
}

// Starts at the selection if that is a match and in view, else at the view; wraps around. The
// matches may be those of an earlier snapshot.
void SearchFeature::step_in(const Found& found, bool forward, Frame& frame) {
    const Matches& matches = found.matches;
    if (matches.count == 0) return;
    Timeline& timeline = frame.timeline;
    const Trace& shown = timeline.trace();
    const bool is_earlier = matches.trace.get() != &shown;
    const TimeRange view = timeline.camera.target().range();
    const SliceRef at = is_earlier && timeline.selected
                            ? same_slice(shown, timeline.selected, *matches.trace)
                            : timeline.selected;
    const bool from_selection = at && matches.test(at) && matches.trace->start(at) < view.end &&
                                matches.trace->slice_end(at) >= view.begin;
    constexpr Nanos kFirst = std::numeric_limits<Nanos>::min();
    constexpr Nanos kLast = std::numeric_limits<Nanos>::max();
    SliceRef next;
    if (forward) {
        next = from_selection ? match_after(matches, at) : first_match_from(matches, view.begin);
        if (!next) next = first_match_from(matches, kFirst);
    } else {
        next = from_selection ? match_before(matches, at) : last_match_before(matches, view.end);
        if (!next) next = last_match_before(matches, kLast);
    }
    if (next && is_earlier) next = same_slice(*matches.trace, next, shown);
    if (next) {
        select_slice(timeline, next);
        frame.front.show_description_of(Described::selection);
    }
    remember(frame);
}

void SearchFeature::remember(Frame& frame) const {
    auto& history = frame.settings.searches;
    if (!history.empty() && history.front() == box_.text()) return;
    std::erase(history, box_.text());
    history.insert(history.begin(), box_.text());
    if (history.size() > kHistory) history.resize(kHistory);
}

void SearchFeature::next_filter(Frame& frame) {
    FoundFilter& filter = frame.timeline.layer<FoundLayer>().filter;
    const bool hides = filter == FoundFilter::hide;
    filter = hides                        ? FoundFilter::off
             : filter == FoundFilter::off ? FoundFilter::dim
                                          : FoundFilter::hide;
    if (!frame.timeline.layer<FoundLayer>().found)
        frame.notify("Slices that do not match are " + std::string(hides ? "shown."
                                                                   : filter == FoundFilter::dim
                                                                       ? "dimmed."
                                                                       : "hidden."));
}

void SearchFeature::draw_box(const Box& box, Frame& frame) {
    constexpr const char* kFilterWords[] = {"All", "Dim", "Only"};
    const char* button =
        reading_ ? "Stop"
        : frame.timeline.layer<FoundLayer>().found
            ? kFilterWords[static_cast<std::size_t>(frame.timeline.layer<FoundLayer>().filter)]
            : "";
    const bool in_field = box_.focused();
    const bool pressed = box_.draw(frame.look, box, status(frame), button, frame.settings.searches);
    // Typed into an empty field: a command instead of a search, as in Perfetto.
    if (box_.text() == ">" && in_field) {
        ImGui::ClearActiveID();  // the field would write its text back
        box_.clear();
        frame.requests.act(Action::palette);
    }
    // Esc in the field leaves it, and stops its search.
    if (in_field && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) stop_reading();
    if (!pressed) return;
    if (!stop_reading()) frame.requests.act(Action::find_filter);
}

void SearchFeature::describe(const Frame& frame, nlohmann::json& state) const {
    const Box& box = box_.box();
    nlohmann::json& search = state["search"];
    search = {{"text", box_.text()},
              {"focused", box_.focused()},
              {"busy", searches()},
              {"status", status(frame)},
              {"box", {box.x0, box.y0, box.x1, box.y1}},
              {"filter", static_cast<int>(frame.timeline.layer<FoundLayer>().filter)},
              {"count", nullptr},
              {"error", nullptr},
              {"reading", reading_ != nullptr}};
    if (frame.timeline.layer<FoundLayer>().found)
        search["count"] = frame.timeline.layer<FoundLayer>().found->matches.count;
    if (box_.error())
        search["error"] = {{"text", box_.error()->text}, {"place", box_.error()->byte_offset}};
}

}  // namespace lanescope
