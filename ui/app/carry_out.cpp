#include "ui/app/carry_out.h"

#include "core/trace/same_slice.h"

namespace lanescope {

namespace {

// During a recording, a panel's request refers to an older snapshot.
void bring_up_to_date(Requests& requests, const Timeline& timeline) {
    if (!requests.slices_of || !timeline.index || requests.slices_of == timeline.index->trace)
        return;
    for (auto* slice : {&requests.select, &requests.zoom_to, &requests.what_if})
        if (*slice) {
            *slice = same_slice(*requests.slices_of, **slice, timeline.trace());
            if (!**slice) slice->reset();
        }
    if (requests.show_lane)
        requests.show_lane = same_lane(*requests.slices_of, *requests.show_lane, timeline.trace());
}

void move_view(const Requests& requests, Frame& frame) {
    Timeline& timeline = frame.timeline;
    if (!timeline.index) return;
    if (requests.select) select_slice(timeline, *requests.select);
    if (requests.zoom_to) zoom_to_slice(timeline, *requests.zoom_to);
    if (requests.frame_range) {
        timeline.camera.frame(*requests.frame_range);
    }
    if (requests.show_note) NotesFeature::show(*requests.show_note, frame);
    if (requests.show_lane) reveal_lane(timeline, *requests.show_lane);
}

void change_query_lanes(const Requests& requests, Timeline& timeline) {
    auto& lanes = timeline.queries;
    if (const auto drop = requests.drop_query_lane; drop && *drop < lanes.size())
        lanes.erase(lanes.begin() + static_cast<std::ptrdiff_t>(*drop));
    if (requests.add_query_lane && timeline.index)
        lanes.push_back({requests.add_query_lane, 0, {}, {}, {}});
}

}  // namespace

void carry_out_requests(Features& features, Frame& frame) {
    Requests& requests = frame.requests;
    if (requests.choose_note) frame.timeline.chosen_note = requests.choose_note;
    const std::vector<Action> actions = requests.actions;
    for (const Action action : actions) features.all.act(action, frame);
    if (requests.dismiss_error) frame.files->dismiss_error();
    bring_up_to_date(requests, frame.timeline);
    move_view(requests, frame);
    change_query_lanes(requests, frame.timeline);
    if (requests.gap) features.gap_walk.describe_gap(*requests.gap, frame);
    if (requests.what_if) features.what_if.ask(*requests.what_if, frame);
    frame.front.show_description_of(requests.described);
    if (!requests.show_panel.empty()) frame.show_panel(requests.show_panel);
    if (requests.notify) frame.notify(*requests.notify);
    if (requests.open) frame.files->open({*requests.open}, {});
}

}  // namespace lanescope
