#include "app/commands/timeline_svg.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/analysis/structure/time_range.h"
#include "core/export/timeline_svg.h"
#include "core/session/notes.h"
#include "core/session/specs_file.h"
#include "core/view/first_arrangement.h"
#include "core/view/named_slice.h"

namespace lanescope {

namespace {

// The lanes with which the window opens; a picture has room for all streams, in their place.
LaneArrangement lanes_of_picture(const Trace& trace) {
    LaneArrangement lanes = first_arrangement(trace);
    lanes.pinned.clear();
    for (const LaneGroup& group : lane_groups(trace, lanes))
        if (group.is_gpu) lanes.folded_groups.erase(group.key);
    return lanes;
}

}  // namespace

int write_timeline_svg(const SvgRequest& request) {
    LoadOptions with_queues;
    with_queues.launch_queues = true;
    std::string failed;
    const Result<JoinedTrace> loaded =
        load_joined(request.traces, request.alignment, failed, with_queues);
    if (!loaded) return report(loaded.error(), failed);
    const Trace& trace = *loaded->whole;
    SvgOptions options;
    options.theme = request.theme;
    options.width = request.width;
    options.scale = request.scale;
    options.range = trace.content;
    if (!request.range.empty()) {
        const Result<TimeRange> range = parse_shown_range(trace, request.range);
        if (!range) return report(range.error(), "");
        options.range = *range;
    }
    if (!request.select.empty()) {
        options.selected = first_slice_called(trace, request.select, options.range);
        if (!options.selected)
            return report({ErrorCode::usage, Error::no_offset,
                           "No slice has " + request.select + " in its name."},
                          "");
    }
    LaneArrangement lanes = lanes_of_picture(trace);
    if (!request.lanes.empty()) {
        Result<LaneArrangement> only = only_lanes(trace, request.lanes);
        if (!only) return report(only.error(), "");
        lanes = std::move(*only);
    }
    for (const TracePtr& part : loaded->parts)
        for (const Note& note :
             load_notes(noted_trace(part->path, *part), notes_places(part->path)).notes)
            options.notes.push_back({note.time, note.text});
    for (const std::string& path : request.traces)
        options.title +=
            (options.title.empty() ? "" : " · ") + std::filesystem::path(path).filename().string();
    if (trace.synthetic) options.title += ", a synthetic sample";
    ViewIndexPtr index = build_view_index(loaded->whole, lanes.filter);
    const Result<SpecsBookPtr> specs = load_specs(request.specs);
    if (!specs) return report(specs.error(), "");
    std::vector<std::shared_ptr<const TraceContext>> contexts;
    std::vector<std::shared_ptr<const IdleSpans>> idle;
    for (const TracePtr& part : loaded->parts) {
        contexts.push_back(std::make_shared<const TraceContext>(part, *specs));
        idle.push_back(find_idle_spans(*contexts.back()));
    }
    options.idle = joined_idle_spans(idle);
    if (index->shown) options.shown_idle = shown_idle_spans(trace, *options.idle, index->shown);
    const std::optional<ColorMode> chosen = find_color_mode(request.color);
    const ColorMode mode = chosen ? *chosen : fitting_color_mode(trace);
    if (chosen || mode != index->classes->mode)
        index = with_classes(*index, classify_joined(loaded->whole, contexts, mode));
    const ViewRows rows = rows_for(trace, index->shown, options.range, options.selected);
    const LaneLayout layout = build_layout(trace, lanes, {}, index->shown, rows);
    return write_output(timeline_svg(index, layout, options), request.output);
}

}  // namespace lanescope
