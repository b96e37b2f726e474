#include "ui/timeline/timeline.h"

#include <algorithm>
#include <utility>

#include "core/trace/query.h"
#include "ui/timeline/alike_layer.h"
#include "ui/timeline/navigation.h"
#include "ui/timeline/selection_layer.h"

namespace lanescope {

namespace {

constexpr double kKeyPanPart = 0.2;  // fraction of the view, for an arrow key with nothing selected
constexpr double kKeyZoom = 2;       // factor of the span, for a command
constexpr float kRevealMargin = 0.1f;  // fraction of the view

void go_to_edge(Timeline& timeline, bool end) {
    Viewport view = timeline.camera.target();
    const TimeRange content = timeline.camera.content();
    view.start = end ? content.end - static_cast<Nanos>(view.span) : content.begin;
    view.fraction = 0;
    timeline.camera.go_to(view);
}

bool is_hidden(const Timeline& timeline, SliceRef slice) {
    return shown_depth(timeline.trace(), timeline.index->shown, slice) == ShownLane::hidden;
}

// The slice, or its innermost caller that no filter hides; empty: none is shown.
SliceRef shown_of(const Timeline& timeline, SliceRef slice) {
    while (slice && is_hidden(timeline, slice)) slice = parent_of(timeline.trace(), slice);
    return slice;
}

// Opens the lane of a slice, to which the next drawing scrolls, and flashes it.
void flash_row(Timeline& timeline, SliceRef slice) {
    reveal_row(timeline, slice);
    timeline.layer<SelectionLayer>().flash = {timeline.revealed, Flash::kSeconds};
}

// Frames the selection; if it is framed already, or there is none, the whole trace.
void frame_selection(Timeline& timeline) {
    Camera& camera = timeline.camera;
    TimeRange wanted = camera.content();
    double margin = 0;
    if (timeline.selected) {
        const Trace& trace = timeline.trace();
        const TimeRange slice{trace.start(timeline.selected), trace.slice_end(timeline.selected)};
        Viewport framing = clamped(framed(camera.target(), slice), camera.content());
        if (!nearly_same(framing, camera.target())) {
            wanted = slice;
            margin = 0.05;
        }
    } else if (timeline.marked) {
        const Viewport framing =
            clamped(framed(camera.target(), timeline.marked->time), camera.content());
        if (!nearly_same(framing, camera.target())) {
            wanted = timeline.marked->time;
            margin = 0.05;
        }
    }
    camera.frame(wanted, margin);
    if (timeline.selected) reveal_row(timeline, timeline.selected);
}

SliceRef step(const Timeline& timeline, Action action) {
    const Trace& trace = timeline.trace();
    const SliceRef at = timeline.selected;
    switch (action) {
        case Action::parent:
            return parent_of(trace, at);
        case Action::child:
            return first_child_of(trace, at);
        case Action::previous_in_row:
            return previous_in_row(trace, at);
        case Action::next_in_row:
            return next_in_row(trace, at);
        case Action::previous_in_lane:
            return previous_in_lane(trace, at);
        case Action::next_in_lane:
            return next_in_lane(trace, at);
        case Action::flow_forward:
            return flow_target(trace, at);
        case Action::flow_back:
            return flow_source(trace, at);
        default:
            return {};
    }
}

// Skips what the arrangement of lanes hides.
SliceRef shown_step(Timeline& timeline, Action action) {
    constexpr int kMaxCandidates = 10'000;
    const SliceRef from = timeline.selected;
    SliceRef next;
    for (int i = 0; i < kMaxCandidates; ++i) {
        next = step(timeline, action);
        if (!next || !is_hidden(timeline, next)) break;
        timeline.selected = next;
    }
    timeline.selected = from;
    return next && is_hidden(timeline, next) ? SliceRef{} : next;
}

bool is_step(Action action) {
    return action >= Action::parent && action <= Action::flow_back;
}

bool is_step_in_lane(Action action) {
    return action == Action::next_in_lane || action == Action::previous_in_lane;
}

void walk_places(Timeline& timeline, bool back) {
    const VisitedPlace now{timeline.camera.target(), timeline.selected};
    const auto place = back ? timeline.places.back(now) : timeline.places.forward();
    if (!place) return;
    timeline.selected = place->selected;
    if (place->selected) reveal_row(timeline, place->selected);
    Viewport view = place->view;
    view.width = timeline.camera.target().width;
    timeline.camera.go_to(clamped(view, timeline.camera.content()));
}

void step_without_selection(Timeline& timeline, Action action) {
    const double width = timeline.camera.view().width;
    const double row = timeline.layout.height > 0 ? 38 : 0;
    const double max_scroll = std::max(0.0, timeline.layout.height - timeline.areas.lanes.height());
    switch (action) {
        case Action::previous_in_row:
            timeline.camera.pan(-width * kKeyPanPart);
            break;
        case Action::next_in_row:
            timeline.camera.pan(width * kKeyPanPart);
            break;
        case Action::parent:
            timeline.scroll_y = std::clamp(timeline.scroll_y - row, 0.0, max_scroll);
            break;
        case Action::child:
            timeline.scroll_y = std::clamp(timeline.scroll_y + row, 0.0, max_scroll);
            break;
        default:
            break;
    }
}

void swap_pinned(Timeline& timeline) {
    std::swap(timeline.layout, timeline.pinned.layout);
    std::swap(timeline.scroll_y, timeline.pinned.scroll_y);
    std::swap(timeline.areas.heads, timeline.pinned.heads);
    std::swap(timeline.areas.lanes, timeline.pinned.lanes);
}

}  // namespace

void show_trace(Timeline& timeline, ViewIndexPtr index, Overview overview, bool fresh) {
    timeline.index = std::move(index);
    timeline.overview = std::move(overview);
    const Trace& trace = timeline.trace();
    if (fresh) {
        timeline.arrangement = *timeline.index->first;
        timeline.places = {};
        timeline.scroll_y = 0;
        timeline.marked.reset();
        timeline.camera.reset(trace.content, timeline.index->bulk);
    } else {
        timeline.camera.set_content(trace.content, timeline.index->bulk);
    }
    // A slice of an older snapshot may have another index now.
    timeline.selected = timeline.awaited = {};
    timeline.places.forget_slices();
    for (const auto& layer : timeline.layers) layer->trace_changed();
    timeline.hovered = {};
    timeline.named_lane.reset();
    timeline.layout = {};
    timeline.pinned.layout = {};
    if (timeline.marked) timeline.marked->slices.reset();
}

void close_trace(Timeline& timeline) {
    TimelineModel next;
    // Settings belong to the window, not to the trace.
    next.head_width = timeline.head_width;
    next.wheel = timeline.wheel;
    static_cast<TimelineModel&>(timeline) = std::move(next);
    for (const auto& layer : timeline.layers) layer->trace_closed();
}

void set_selected(Timeline& timeline, SliceRef slice) {
    timeline.selected = slice;
}

void select_slice(Timeline& timeline, SliceRef slice) {
    timeline.selected = slice;
    reveal_slice(timeline, slice);
}

void reveal_slice(Timeline& timeline, SliceRef slice) {
    if (!slice) return;
    const Trace& trace = timeline.trace();
    flash_row(timeline, slice);
    const Viewport target = timeline.camera.target();
    const double x0 = target.px_of(trace.start(slice));
    const double x1 = target.px_of(trace.slice_end(slice));
    const double margin = target.width * kRevealMargin;
    if (x1 > margin / 2 && x0 < target.width - margin / 2) return;
    // Keeps the zoom unless the slice is wider than the view.
    if (x1 - x0 > target.width) {
        timeline.camera.frame({trace.start(slice), trace.slice_end(slice)});
    } else {
        timeline.camera.pan((x0 + x1) / 2 - target.width / 2);
    }
}

void scroll_to(Timeline& timeline, double top, double bottom) {
    const double height = timeline.areas.lanes.height();
    if (height <= 0) return;
    if (top < timeline.scroll_y || bottom - top > height) {
        timeline.scroll_y = top;
    } else if (bottom > timeline.scroll_y + height) {
        timeline.scroll_y = bottom - height;
    }
    timeline.scroll_y =
        std::clamp(timeline.scroll_y, 0.0, std::max(0.0, timeline.layout.height - height));
}

void scroll_to_revealed(Timeline& timeline) {
    const SliceRef slice = std::exchange(timeline.revealed, {});
    if (!slice) return;
    const uint32_t depth = shown_depth(timeline.trace(), timeline.index->shown, slice);
    const bool is_pinned = timeline.pinned.layout.row_of(slice.lane, depth) != LaneLayout::none;
    const PinnedScope scope(timeline, is_pinned);
    const uint32_t row = timeline.layout.row_of(slice.lane, depth);
    if (row == LaneLayout::none) return;
    const LayoutRow& place = timeline.layout.rows[row];
    scroll_to(timeline, place.y - place.height, place.y + 2 * place.height);
}

bool is_in_view(const Timeline& timeline, SliceRef slice) {
    const auto within = [&](const LaneLayout& layout, double scroll_y, const Box& lanes) {
        const Viewport view = timeline.camera.view();
        const SlicePlace place = place_of(timeline.trace(), layout, view, slice);
        if (place.row == LaneLayout::none || place.x1 < 0 || place.x0 > view.width) return false;
        const LayoutRow& row = layout.rows[place.row];
        return row.y + row.height > scroll_y && row.y < scroll_y + lanes.height();
    };
    return within(timeline.layout, timeline.scroll_y, timeline.areas.lanes) ||
           within(timeline.pinned.layout, timeline.pinned.scroll_y, timeline.pinned.lanes);
}

void zoom_to_slice(Timeline& timeline, SliceRef slice) {
    const Trace& trace = timeline.trace();
    timeline.selected = slice;
    flash_row(timeline, slice);
    timeline.camera.frame(
        {trace.start(slice), std::max(trace.slice_end(slice), trace.start(slice) + 1)});
}

void reveal_row(Timeline& timeline, SliceRef slice) {
    const Trace& trace = timeline.trace();
    const bool hidden = is_hidden(timeline, slice);
    timeline.awaited = hidden ? slice : SliceRef{};
    if (hidden)
        timeline.arrangement.filter = filter_that_shows(timeline.arrangement.filter, trace, slice);
    const SliceRef shown = shown_of(timeline, slice);
    const uint32_t depth = shown ? shown_depth(trace, timeline.index->shown, shown) : 0;
    uncover(timeline.arrangement, trace, slice.lane, depth);
    timeline.revealed = shown;
    scroll_to_revealed(timeline);
    timeline.revealed = shown;
}

void reveal_lane(Timeline& timeline, LaneId lane) {
    uncover(timeline.arrangement, timeline.trace(), lane, 0);
    const bool is_pinned = std::ranges::count(timeline.arrangement.pinned, lane) > 0;
    const PinnedScope scope(timeline, is_pinned);
    for (const LaneBox& box : timeline.layout.lanes) {
        if (box.id == lane) scroll_to(timeline, box.y, box.y + box.height);
    }
}

void show_index(Timeline& timeline, ViewIndexPtr index) {
    if (timeline.index)
        for (const auto& layer : timeline.layers) layer->index_changed(*timeline.index, *index);
    timeline.index = std::move(index);
    timeline.hovered = {};
    if (timeline.awaited && !is_hidden(timeline, timeline.awaited))
        flash_row(timeline, std::exchange(timeline.awaited, {}));
}

PinnedScope::PinnedScope(Timeline& timeline, bool on) : timeline_(on ? &timeline : nullptr) {
    if (on) swap_pinned(timeline);
}

PinnedScope::~PinnedScope() {
    if (timeline_) swap_pinned(*timeline_);
}

bool act(Timeline& timeline, Action action) {
    if (!timeline.index) return false;
    if (act_on_lanes(timeline, action)) return true;
    const auto& alike = timeline.layer<AlikeLayer>().alike;
    if (alike && is_step_in_lane(action)) {
        const bool forward = action == Action::next_in_lane;
        const SliceRef next = step_alike(timeline.trace(), *alike, timeline.selected, forward);
        if (next) select_slice(timeline, next);
        return true;
    }
    if (is_step(action)) {
        if (!timeline.selected) {
            step_without_selection(timeline, action);
        } else if (const SliceRef next = shown_step(timeline, action)) {
            select_slice(timeline, next);
        }
        return true;
    }
    switch (action) {
        case Action::zoom_in:
            timeline.camera.zoom(1 / kKeyZoom, timeline.camera.view().width / 2);
            return true;
        case Action::zoom_out:
            timeline.camera.zoom(kKeyZoom, timeline.camera.view().width / 2);
            return true;
        case Action::pan_left:
            timeline.camera.pan(-timeline.camera.view().width * kKeyPanPart);
            return true;
        case Action::pan_right:
            timeline.camera.pan(timeline.camera.view().width * kKeyPanPart);
            return true;
        case Action::frame:
            frame_selection(timeline);
            return true;
        case Action::whole_trace_begin:
            go_to_edge(timeline, false);
            return true;
        case Action::whole_trace_end:
            go_to_edge(timeline, true);
            return true;
        case Action::place_back:
            walk_places(timeline, true);
            return true;
        case Action::place_forward:
            walk_places(timeline, false);
            return true;
        case Action::range_of_view:
            mark_range(timeline, timeline.camera.view().range());
            return true;
        case Action::range_of_selection:
            if (timeline.selected) {
                const Trace& trace = timeline.trace();
                mark_range(timeline,
                           {trace.start(timeline.selected), trace.slice_end(timeline.selected)});
            }
            return true;
        default:
            return false;
    }
}

}  // namespace lanescope
