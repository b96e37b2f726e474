// The search in arguments that a trace does not store: reads the file again in the background,
// shows matches as they are found, and stops on Esc or a button.
#include <algorithm>

#include "core/base/format.h"
#include "ui/app/app.h"
#include "ui/timeline/lane_parts.h"

namespace lanescope {

namespace {

constexpr double kTellSeconds = 0.1;

}  // namespace

void App::read_arguments(const SearchExpression& expression) {
    Search& search = search_;
    search.busy = true;
    search.reading = std::make_shared<ArgumentReading>();
    std::vector<TracePtr> files = traces_.joined.parts;
    if (files.size() < 2) files = {search.trace};
    arguments_worker_.post([this, trace = search.trace, shown = search.shown, expression,
                            files = std::move(files), reading = search.reading] {
        const auto marked = [&](Matches matches) {
            return mark_matches(std::move(matches), trace->content, lane_parts(shown));
        };
        auto found =
            search_arguments(trace, files, expression, {}, reading->progress,
                             [&](Matches some) { reading->tell(marked(std::move(some))); });
        std::optional<Error> problem;
        if (found)
            reading->tell(marked(std::move(*found)));
        else
            problem = found.error();
        return [this, reading, problem = std::move(problem)] { end_reading(reading, problem); };
    });
}

void App::end_reading(const std::shared_ptr<ArgumentReading>& reading,
                      const std::optional<Error>& problem) {
    pacing_.wake();
    if (search_.reading != reading) return;
    take_newly_found();
    search_.busy = false;
    search_.reading.reset();
    // A search that was replaced by another reports nothing.
    if (search_.asked != search_.box.text()) return;
    if (reading->progress.stop) search_.stopped_at = reading->progress.part();
    if (problem) search_.box.set_error(Error{problem->code, 0, problem->text});
}

void App::take_newly_found() {
    const FoundPtr found = search_.reading->take();
    if (found && timeline_.index && timeline_.index->trace == found->matches.trace)
        set_found(found);
}

// Once a frame during the search.
void App::follow_reading() {
    if (!search_.reading) return;
    take_newly_found();
    pacing_.set_deadline(now_ + kTellSeconds);
    const bool given_up = search_.asked != search_.box.text() || !timeline_.index ||
                          timeline_.index->trace != search_.trace ||
                          timeline_.index->shown != search_.shown;
    if (given_up) search_.reading->progress.stop = true;
}

// False if no search is running.
bool App::stop_reading() {
    if (!search_.reading) return false;
    search_.reading->progress.stop = true;
    return true;
}

// "43 %", or where it was stopped.
std::string App::reading_status() const {
    const std::string count =
        timeline_.found ? format_count(static_cast<int64_t>(timeline_.found->matches.count)) : "0";
    if (search_.reading)
        return count + " found · " + format_percent(search_.reading->progress.part());
    return count + " found, stopped at " + format_percent(*search_.stopped_at);
}

}  // namespace lanescope
