// The search: finds matches of the typed text in the background, and steps through them.
#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/search/matches_table.h"
#include "ui/app/app.h"
#include "ui/timeline/lane_parts.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostRows = 500'000;  // of the panel
constexpr std::size_t kHistory = 30;

}  // namespace

void App::follow_search() {
    const TracePtr trace = timeline_.index ? timeline_.index->trace : nullptr;
    Search& search = search_;
    const ShownLanesPtr shown = timeline_.index ? timeline_.index->shown : nullptr;
    follow_reading();
    if (search.busy ||
        (search.asked == search.box.text() && search.trace == trace && search.shown == shown))
        return;
    Result<SearchExpression> expression = parse_search(search.box.text());
    const bool reads = expression && reads_arguments(*expression);
    // A file that is still loading cannot be read again yet.
    if (reads && trace && traces_.of != trace) return;
    search.asked = search.box.text();
    search.trace = trace;
    search.shown = shown;
    search.stopped_at.reset();
    search.box.set_error(std::nullopt);
    if (!expression) search.box.set_error(expression.error());
    if (!expression || expression->empty() || !trace || reads) set_found(nullptr);
    if (!expression || expression->empty() || !trace) return;
    if (reads) {
        read_arguments(*expression);
        return;
    }
    search.busy = true;
    worker_.post([this, trace, shown, expression = *expression] {
        FoundPtr found =
            mark_matches(find_matches(trace, expression), trace->content, lane_parts(shown));
        return [this, trace, found = std::move(found)] {
            search_.busy = false;
            pacing_.wake();
            if (timeline_.index && timeline_.index->trace == trace) set_found(found);
        };
    });
}

void App::set_found(const FoundPtr& found) {
    timeline_.found = found;
    search_.placed.reset();
    if (!found) {
        find_panel_.set_source({});
        return;
    }
    find_panel_.set_source([found](const TraceContext&, const TableQuery& query) {
        return query.range ? matches_table(matches_within(found->matches, *query.range), kMostRows)
                           : matches_table(found->matches, kMostRows);
    });
    if (const auto step = std::exchange(search_.step, std::nullopt)) step_found(*step);
}

std::string App::search_status() {
    if (search_.box.error()) return "?";
    if (search_.reading || search_.stopped_at) return reading_status();
    if (search_.busy) return "…";
    const FoundPtr& found = timeline_.found;
    if (!found) return {};
    const uint64_t count = found->matches.count;
    if (count == 0) return "nothing found";
    if (!search_.placed || search_.placed->first != timeline_.selected) {
        const SliceRef slice = timeline_.selected;
        const uint64_t place =
            slice && found->matches.test(slice) ? matches_before(found->matches, slice) + 1 : 0;
        search_.placed = {slice, place};
    }
    const std::string all = format_count(static_cast<int64_t>(count));
    return search_.placed->second == 0
               ? all + " found"
               : format_count(static_cast<int64_t>(search_.placed->second)) + " of " + all;
}

// From the selection if it is a match and in view, else from the view; wraps around.
void App::step_found(bool forward) {
    // Each snapshot of a recording is searched again.
    if (!timeline_.found && search_.busy) search_.step = forward;
    if (!timeline_.found || timeline_.found->matches.count == 0) return;
    const Matches& matches = timeline_.found->matches;
    const TimeRange view = timeline_.camera.target().range();
    const SliceRef at = timeline_.selected;
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
    if (next) {
        select_slice(timeline_, next);
        tell(Tell::selection);
    }
    remember_search();
}

void App::remember_search() {
    auto& history = settings_.searches;
    if (!history.empty() && history.front() == search_.box.text()) return;
    std::erase(history, search_.box.text());
    history.insert(history.begin(), search_.box.text());
    if (history.size() > kHistory) history.resize(kHistory);
}

void App::next_filter() {
    const bool hides = timeline_.filter == FoundFilter::hide;
    timeline_.filter = hides                                  ? FoundFilter::off
                       : timeline_.filter == FoundFilter::off ? FoundFilter::dim
                                                              : FoundFilter::hide;
    if (!timeline_.found)
        notify("What a search does not find is " +
                   std::string(hides                                  ? "shown as it is."
                               : timeline_.filter == FoundFilter::dim ? "dimmed."
                                                                      : "hidden."),
               now_);
}

void App::draw_find_box(Box box) {
    constexpr const char* kFilterWords[] = {"All", "Dim", "Only"};
    const char* button = search_.reading ? "Stop"
                         : timeline_.found
                             ? kFilterWords[static_cast<std::size_t>(timeline_.filter)]
                             : "";
    const bool in_field = search_.box.focused();
    const bool pressed = search_.box.draw(look_, box, search_status(), button, settings_.searches);
    // Esc in the field leaves it, and stops its search.
    if (in_field && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) stop_reading();
    if (!pressed) return;
    if (!stop_reading()) requests_.act(Action::find_filter);
}

// Keys while typing a search. The field itself would report Enter without the Shift that was held.
bool App::take_search_key(ImGuiKeyChord pressed) {
    const ImGuiKeyChord chord = plain_chord(pressed);
    const bool back = chord == (ImGuiMod_Shift | ImGuiKey_Enter);
    if (!back && chord != ImGuiKey_Enter) return false;
    requests_.act(back ? Action::find_previous : Action::find_next);
    search_.box.focus();  // Shift+Enter leaves the field
    return true;
}

bool App::act_on_search(Action action) {
    switch (action) {
        case Action::find:
            search_.box.focus();
            return true;
        case Action::find_next:
            step_found(true);
            return true;
        case Action::find_previous:
            step_found(false);
            return true;
        case Action::find_filter:
            next_filter();
            return true;
        case Action::palette:
            open_commands();
            return true;
        case Action::go_to_lane:
            open_lanes();
            return true;
        default:
            return false;
    }
}

}  // namespace lanescope
