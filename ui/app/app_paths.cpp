// Critical paths and what-if: computed in the background on request.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/analysis/critical_path/critical_path.h"
#include "core/base/format.h"
#include "core/insight/what_if.h"
#include "ui/app/app.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr double kTwice = 2;
constexpr std::size_t kMostRows = 30;  // of what would help

// "kernel 61 %, gap 20 %, operator 9 %": the three largest parts.
std::string shares_of(const std::array<Nanos, kPathPartCount>& times) {
    std::array<std::pair<Nanos, PathPart>, kPathPartCount> parts;
    Nanos all = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = {times[i], static_cast<PathPart>(i)};
        all += times[i];
    }
    std::ranges::sort(parts, std::greater());
    std::string text;
    for (std::size_t i = 0; i < 3 && parts[i].first > 0; ++i)
        text += fmt::format(
            "{}{} {}", text.empty() ? "" : ", ", path_part_name(parts[i].second),
            format_percent(static_cast<double>(parts[i].first) / static_cast<double>(all)));
    return text;
}

}  // namespace

// Once a frame.
void App::follow_paths() {
    if (!timeline_.path_shown || !timeline_.index || !traces_.of || paths_of_ == traces_.of) return;
    paths_of_ = traces_.of;
    timeline_.paths.reset();
    analysis_worker_.post([this, of = traces_.of, contexts = traces_.contexts] {
        auto paths = std::make_shared<std::vector<DrawnPath>>();
        std::array<Nanos, kPathPartCount> parts = {};
        for (const auto& context : contexts) {
            const auto found = context->get<CriticalPaths>().all;
            for (const StepPath& path : *found) {
                paths->push_back({path.range, segments_of(*context, path)});
                for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += path.parts[i];
            }
        }
        return [this, of, paths = std::move(paths), shares = shares_of(parts)] {
            if (of != traces_.of) return;
            timeline_.paths = paths;
            pacing_.wake();
            notify(shares.empty()
                       ? "No step or call to follow in this trace."
                       : fmt::format("Critical path of {} {}: {}. L explains its lines",
                                     paths->size(), paths->size() == 1 ? "step" : "steps", shares),
                   now_);
        };
    });
}

void App::ask_what_if(SliceRef slice) {
    if (live_.on) {
        notify("What-if becomes available when the recording ends.", now_);
        show_panel(kWhatIfPanel);
        return;
    }
    if (!context_ || !slice) {
        notify("Select a kernel or operator to see how long steps would be if it were faster.",
               now_);
        return;
    }
    what_if_of_ = timeline_.index ? timeline_.index->trace : nullptr;
    what_if_panel_.set_source([slice](const TraceContext& context, const TableQuery& query) {
        const Trace& trace = context.trace();
        return what_if_table(context, query, change_like(context, slice), trace.name(slice),
                             kTwice);
    });
    show_panel(kWhatIfPanel);
}

void App::draw_what_if(const PanelInputs& inputs) {
    // A slice of another trace is meaningless in this one. During a recording, the most effective
    // changes are computed for each snapshot.
    const TracePtr shown = timeline_.index ? timeline_.index->trace : nullptr;
    if (inputs.live ? !what_if_of_ : what_if_of_ != shown) {
        what_if_of_ = shown;
        what_if_panel_.set_source([](const TraceContext& context, const TableQuery& query) {
            return what_helps_table(context, query, kTwice, kMostRows);
        });
    }
    what_if_panel_.draw(inputs, look_, requests_);
    panels_ready_ = panels_ready_ && (!context_ || what_if_panel_.ready());
}

}  // namespace lanescope
