#include "ui/features/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/structure/time_range.h"
#include "core/base/format.h"
#include "core/report/report.h"
#include "core/session/small_file.h"
#include "ui/panels/save_file.h"

namespace lanescope {

namespace {

// Asks where the report of a file is saved. `range`: absolute; none: the whole file.
SaveRequest report_of(const TracePtr& trace, const std::shared_ptr<const TraceContext>& context,
                      std::optional<TimeRange> range) {
    ReportOptions options;
    options.title = std::filesystem::path(trace->path).filename().string();
    options.query = marked_query(*context, range);
    const std::string what = range ? fmt::format("Report of the selected {} of {}",
                                                 format_duration(range->length()), options.title)
                                   : "Report of " + options.title;
    return {what, free_path("report", "html"), [trace, context, options](const std::string& path) {
                return write_small_file(path, make_report(trace, *context, options).html);
            }};
}

}  // namespace

std::span<const Action> ExportFeature::actions() const {
    static constexpr Action kActions[] = {Action::export_list, Action::save_report};
    return kActions;
}

void ExportFeature::act(Action action, Frame& frame) {
    if (action == Action::save_report) return ask_for_report(frame);
    if (!frame.timeline.index) {
        frame.notify("There is nothing to export until a trace is open.");
        return;
    }
    constexpr Action kExports[] = {
        Action::save_report, Action::screenshot, Action::picture_at_once, Action::copy_picture,
        Action::save_table,  Action::save_notes, Action::save_notes_as};
    std::vector<Choice> choices;
    for (const Action listed : kExports) {
        const auto command = std::ranges::find(commands(), listed, &Command::action);
        choices.push_back({{command->title, command->group, keys_of(frame.keys, listed)},
                           [&frame, listed] { frame.requests.act(listed); }});
    }
    frame.chooser.open("Export", std::move(choices));
}

void ExportFeature::ask_for_report(Frame& frame) {
    const LoadedTrace* const loaded = frame.loaded();
    if (!loaded) {
        frame.notify("A report is made of a complete trace: open one, or wait until it is loaded.");
        return;
    }
    const uint32_t part = frame.trace->shown_part;
    std::optional<TimeRange> range;
    if (frame.timeline.marked) range = frame.timeline.marked->time;
    frame.requests.add(report_of(loaded->parts[part], loaded->contexts[part], range));
}

bool ExportFeature::take(const Request& request, Frame& frame) {
    const SaveRequest* const save = std::get_if<SaveRequest>(&request);
    if (!save) return false;
    dialog_.show(*save, frame.trace ? frame.trace->paths() : std::vector<std::string>());
    frame.pacing.wake();
    return true;
}

void ExportFeature::draw_over(Frame& frame) {
    std::optional<SaveRequest> request = dialog_.draw(frame.look);
    if (!request) return;
    frame.pacing.wake();
    if (request->part) {
        request->part->path = request->path;
        frame.requests.add(SavePicture{std::move(*request->part)});
        return;
    }
    frame.jobs.run([save = std::move(request->save), path = request->path] { return save(path); },
                   [&frame, what = request->what, path = request->path](const Result<void>& saved) {
                       frame.notify(saved ? what + " saved as " + path : saved.error().text);
                   },
                   JobQueue::analysis);
}

void ExportFeature::describe(const Frame& /*frame*/, nlohmann::json& state) const {
    state["saving"] = nullptr;
    if (dialog_.shown()) state["saving"] = dialog_.path();
}

}  // namespace lanescope
