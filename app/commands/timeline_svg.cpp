#include "app/commands/timeline_svg.h"

#include <filesystem>
#include <utility>

#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/analysis/time_range.h"
#include "core/export/timeline_svg.h"
#include "core/session/notes.h"
#include "core/view/named_slice.h"

namespace lanescope {

int write_timeline_svg(const SvgRequest& request) {
    LoadOptions load;
    load.launch_queues = true;
    const Result<LoadedTrace> loaded = load_for_command(request.trace, load);
    if (!loaded) return report(loaded.error(), request.trace);
    const Trace& trace = *loaded->trace;
    SvgOptions options;
    options.theme = request.theme;
    options.width = request.width;
    options.scale = request.scale;
    options.range = trace.content;
    if (!request.range.empty()) {
        const Result<TimeRange> range = parse_time_range(trace, request.range);
        if (!range) return report(range.error(), "");
        options.range = *range;
    }
    if (!request.select.empty()) {
        options.selected = first_slice_named(trace, request.select, options.range);
        if (!options.selected)
            return report(
                {ErrorCode::usage, Error::no_offset, "No slice is named " + request.select + "."},
                "");
    }
    LaneArrangement lanes;
    if (!request.lanes.empty()) {
        Result<LaneArrangement> only = only_lanes(trace, request.lanes);
        if (!only) return report(only.error(), "");
        lanes = std::move(*only);
    }
    const LoadedNotes notes =
        load_notes(noted_trace(request.trace, trace), notes_places(request.trace));
    for (const Note& note : notes.notes) options.notes.push_back({note.time, note.text});
    options.title = std::filesystem::path(request.trace).filename().string();
    if (trace.synthetic) options.title += ", a synthetic sample";
    OutputOptions output;
    output.path = request.output;
    return write_output(
        timeline_svg(build_view_index(loaded->trace), build_layout(trace, lanes, {}), options),
        output);
}

}  // namespace lanescope
