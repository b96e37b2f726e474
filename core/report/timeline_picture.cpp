#include "core/report/timeline_picture.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "core/coloring/color_modes.h"
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

Error wrong_picture(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

// The index of everything that is drawn, with idle spans in `options`.
ViewIndexPtr index_of(const JoinedTrace& joined, const LaneArrangement& lanes,
                      const TimelinePicture& picture, SvgOptions& options) {
    const Trace& trace = *joined.whole;
    ViewIndexPtr index = build_view_index(joined.whole, lanes.filter);
    std::vector<std::shared_ptr<const TraceContext>> contexts;
    std::vector<std::shared_ptr<const IdleSpans>> idle;
    contexts.reserve(joined.parts.size());
    idle.reserve(joined.parts.size());
    for (const TracePtr& part : joined.parts) {
        contexts.push_back(std::make_shared<const TraceContext>(part, picture.evidence));
        idle.push_back(find_idle_spans(*contexts.back()));
    }
    options.idle = joined_idle_spans(idle);
    if (index->shown) options.shown_idle = shown_idle_spans(trace, *options.idle, index->shown);
    const std::optional<ColorMode> chosen = find_color_mode(picture.color);
    const ColorMode mode = chosen ? *chosen : fitting_color_mode(trace);
    if (chosen || mode != index->classes->mode)
        index = with_classes(*index, classify_joined(joined.whole, contexts, mode));
    return index;
}

}  // namespace

Result<std::string> timeline_picture(const JoinedTrace& joined, const TimelinePicture& picture) {
    const Trace& trace = *joined.whole;
    if (!picture.color.empty() && !find_color_mode(picture.color))
        return wrong_picture("There is no colour mode " + picture.color);
    SvgOptions options;
    options.theme = picture.theme;
    options.width = picture.width;
    options.scale = picture.scale;
    options.title = picture.title;
    options.notes = picture.notes;
    options.range = trace.content;
    if (!picture.range.empty()) {
        const Result<TimeRange> range =
            parse_shown_range(TraceContext(joined.whole), picture.range);
        if (!range) return range.error();
        options.range = *range;
    }
    if (!picture.select.empty()) {
        options.selected = first_slice_called(trace, picture.select, options.range);
        if (!options.selected)
            return wrong_picture("No slice has " + picture.select + " in its name.");
    }
    LaneArrangement lanes = lanes_of_picture(trace);
    if (!picture.lanes.empty()) {
        Result<LaneArrangement> only = only_lanes(trace, picture.lanes);
        if (!only) return only.error();
        lanes = std::move(*only);
    }
    const ViewIndexPtr index = index_of(joined, lanes, picture, options);
    const ViewRows rows = rows_for(trace, index->shown, options.range, options.selected);
    return timeline_svg(index, build_layout(trace, lanes, {}, index->shown, rows), options);
}

std::string picture_title(const std::vector<std::string>& paths, bool synthetic) {
    std::string title;
    for (const std::string& path : paths)
        title += (title.empty() ? "" : " · ") + std::filesystem::path(path).filename().string();
    return synthetic ? title + ", a synthetic sample" : title;
}

}  // namespace lanescope
