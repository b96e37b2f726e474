#include "app/commands/timeline_svg.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "app/commands/load.h"
#include "app/commands/output.h"
#include "core/analysis/structure/time_range.h"
#include "core/export/timeline_svg.h"
#include "core/session/alignment.h"
#include "core/session/notes.h"
#include "core/session/part_names.h"
#include "core/session/specs_file.h"
#include "core/view/first_arrangement.h"
#include "core/view/named_slice.h"

namespace lanescope {

namespace {

// Loads one trace as it is, or joins several; for a single trace, `whole` is the only part.
Result<JoinedTrace> load_traces(const SvgRequest& request) {
    std::vector<TracePtr> traces;
    LoadOptions options;
    options.launch_queues = true;
    for (const std::string& path : request.traces) {
        const Result<TraceWithCost> loaded = load_for_command(path, options);
        if (!loaded) return loaded.error();
        report_incomplete(path, *loaded->trace);
        traces.push_back(loaded->trace);
        options.vocabulary = loaded->trace;
    }
    if (traces.size() == 1) return JoinedTrace{traces.front(), traces};
    Alignment alignment;
    if (!request.alignment.empty()) {
        const Result<Alignment> parsed = parse_alignment(request.alignment);
        if (!parsed) return parsed.error();
        alignment = *parsed;
    }
    const Result<Aligned> aligned = align_traces(traces, alignment);
    if (!aligned) return aligned.error();
    return join_traces(named_parts(traces, aligned->offsets));
}

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
    const Result<JoinedTrace> loaded = load_traces(request);
    if (!loaded) return report(loaded.error(), request.traces.front());
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
