#include "ui/features/navigation.h"

#include <nlohmann/json.hpp>

#include "core/analysis/statistics/range_summary.h"
#include "ui/timeline/describe.h"
#include "ui/timeline/flows_layer.h"

namespace lanescope {

std::span<const Action> NavigationFeature::actions() const {
    static constexpr Action kActions[] = {Action::zoom_in,
                                          Action::zoom_out,
                                          Action::pan_left,
                                          Action::pan_right,
                                          Action::frame,
                                          Action::whole_trace_begin,
                                          Action::whole_trace_end,
                                          Action::place_back,
                                          Action::place_forward,
                                          Action::parent,
                                          Action::child,
                                          Action::previous_in_row,
                                          Action::next_in_row,
                                          Action::next_in_lane,
                                          Action::previous_in_lane,
                                          Action::flow_forward,
                                          Action::flow_back,
                                          Action::range_of_view,
                                          Action::range_of_selection,
                                          Action::flows};
    return kActions;
}

void NavigationFeature::act(Action action, Frame& frame) {
    Timeline& timeline = frame.timeline;
    if (action == Action::flows) {
        bool& shown = timeline.layer<FlowsLayer>().shown;
        shown = !shown;
        return;
    }
    if (action == Action::range_of_view || action == Action::range_of_selection)
        frame.front.show_description_of(Described::range);
    const SliceRef selected = timeline.selected;
    lanescope::act(timeline, action);
    if (timeline.selected && timeline.selected != selected)
        frame.front.show_description_of(Described::selection);
}

bool NavigationFeature::take(const Request& request, Frame& frame) {
    Timeline& timeline = frame.timeline;
    const auto* const select = std::get_if<SelectSlice>(&request);
    const auto* const zoom = std::get_if<ZoomToSlice>(&request);
    const auto* const range = std::get_if<FrameRange>(&request);
    if (!select && !zoom && !range) return false;
    if (!timeline.index) return true;
    if (select) select_slice(timeline, select->slice);
    if (zoom) zoom_to_slice(timeline, zoom->slice);
    if (range) frame_range(timeline, range->range);
    return true;
}

bool NavigationFeature::is_on(Action action, const Frame& frame) const {
    return action == Action::flows && frame.timeline.layer<FlowsLayer>().shown;
}

bool NavigationFeature::settled(const Frame& frame) const {
    return !frame.trace || !frame.jobs.busy(frame.trace->key("marked slices"));
}

bool NavigationFeature::dismiss(Layer layer, Frame& frame) {
    if (layer != Layer::range || !frame.timeline.marked) return false;
    unmark_range(frame.timeline);
    frame.front.show_description_of(Described::selection);
    return true;
}

// Counts the slices of the marked range: a long range of a large trace has too many for a frame.
void NavigationFeature::follow(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    if (!frame.trace || !timeline.index || !timeline.marked || timeline.marked->slices) return;
    const JobKey key = frame.trace->key("marked slices");
    if (frame.jobs.busy(key)) return;
    const RangeQuery range{timeline.marked->time, timeline.marked->lanes};
    const TracePtr trace = timeline.index->trace;
    frame.jobs.ask(
        key, [trace, range] { return count_slices(*trace, range); },
        [&frame, trace, range](uint64_t slices) {
            const std::optional<MarkedRange>& marked = frame.timeline.marked;
            if (frame.timeline.index && frame.timeline.index->trace == trace && marked &&
                RangeQuery{marked->time, marked->lanes} == range)
                set_marked_slices(frame.timeline, slices);
            frame.pacing.wake();
        });
}

void NavigationFeature::describe(const Frame& frame, nlohmann::json& state) const {
    if (frame.timeline.index) describe_timeline(frame.timeline, state);
}

}  // namespace lanescope
