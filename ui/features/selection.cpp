#include "ui/features/selection.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/trace/same_slice.h"
#include "core/trace/short_name.h"
#include "ui/features/kept_slices.h"
#include "ui/look/floating.h"
#include "ui/panels/selection.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

// A recording's clock may be known more precisely at its end.
constexpr Nanos kClockTolerance = 2'000'000;

void copy_name(Frame& frame) {
    if (!frame.timeline.index || !frame.timeline.selected) {
        frame.notify("Select a slice first: its name is copied.");
        return;
    }
    const std::string name(frame.timeline.trace().name(frame.timeline.selected));
    ImGui::SetClipboardText(name.c_str());
    frame.notify("Copied: " + brief_name(name));
}

// The part that a lane belongs to.
TracePtr trace_of(LaneId lane, const Frame& frame) {
    const TracePtr& shown = frame.timeline.index->trace;
    const LoadedTrace* const loaded = frame.loaded();
    if (!loaded || loaded->whole != shown || loaded->parts.size() < 2) return shown;
    return loaded->parts[part_of(*shown, lane)];
}

// Whether the trace that replaces the shown one is a newer snapshot of a growing file.
bool is_snapshot(const Frame& frame) {
    return frame.live() != nullptr;
}

}  // namespace

std::span<const Action> SelectionFeature::actions() const {
    static constexpr Action kActions[] = {Action::slice_menu, Action::copy_name};
    return kActions;
}

void SelectionFeature::act(Action action, Frame& frame) {
    if (action == Action::copy_name)
        copy_name(frame);
    else
        ask_for_menu(frame);
}

bool SelectionFeature::dismiss(Layer layer, Frame& frame) {
    if (layer != Layer::selection || !frame.timeline.selected) return false;
    set_selected(frame.timeline, {});
    return true;
}

void SelectionFeature::replacing(const ViewIndexPtr& next, Frame& frame) {
    const Timeline& timeline = frame.timeline;
    const Trace& before = timeline.trace();
    const Trace& after = *next->trace;
    const bool joined = !before.parts.empty() || !after.parts.empty();
    const DescribedSlice& described = frame.trace->state.get<DescribedSlice>();
    kept_.emplace();
    kept_->described = described.facts && described.slice == timeline.selected;
    if (joined)
        kept_->selected = slice_in_join(before, after, timeline.selected);
    else
        kept_->selected =
            same_slice(before, timeline.selected, after, is_snapshot(frame) ? 0 : kClockTolerance);
    if (!timeline.marked) return;
    for (const LaneId id : timeline.marked->lanes) {
        const auto lane = joined ? lane_in_join(before, after, id) : same_lane(before, id, after);
        if (lane) kept_->marked.push_back(*lane);
    }
    std::ranges::sort(kept_->marked);
}

void SelectionFeature::shown(bool /*first*/, Frame& frame) {
    DescribedSlice& described = frame.trace->state.get<DescribedSlice>();
    const std::optional<KeptSelection> kept = std::exchange(kept_, std::nullopt);
    if (kept) {
        set_selected(frame.timeline, kept->selected);
        mark_lanes(frame.timeline, kept->marked);
    }
    if (kept && kept->described && is_snapshot(frame) && frame.timeline.selected) {
        // Arguments that were already read remain valid.
        described.slice = frame.timeline.selected;
        described.facts = facts_of(frame.timeline.trace(), described.slice);
    } else {
        described.slice = {};
        described.facts.reset();
    }
}

namespace {

// Where the user is, once the view is at rest.
void note_place_at_rest(Frame& frame) {
    if (!frame.timeline.index || frame.timeline_view.moving() || ImGui::IsAnyMouseDown()) return;
    note_place(frame.timeline);
}

}  // namespace

void SelectionFeature::follow(Frame& frame) {
    Timeline& timeline = frame.timeline;
    note_place_at_rest(frame);
    if (!frame.trace) return;
    DescribedSlice& described = frame.trace->state.get<DescribedSlice>();
    if (timeline.selected == described.slice && (!described.slice || described.facts)) return;
    name_lane(timeline, std::nullopt);
    described = {};
    described.slice = timeline.selected;
    const JobKey key = frame.trace->key("arguments");
    frame.jobs.drop(key);
    if (!described.slice || !timeline.index) return;
    const uint32_t part = part_of(timeline.trace(), described.slice.lane);
    frame.show_part(part);
    described.facts = facts_of(*trace_of(described.slice.lane, frame), described.slice);
    frame.jobs.ask(
        key,
        [document = frame.trace->shared_document(), source = described.facts->source, part] {
            return document->arguments(source, part);
        },
        [&frame, &described](Result<std::vector<Argument>> read) {
            described.arguments.read = std::move(read);
            frame.pacing.wake();
        });
}

void SelectionFeature::describe(const Frame& frame, nlohmann::json& state) const {
    state["selection"] = nullptr;
    const DescribedSlice* const described =
        frame.trace ? frame.trace->state.find<DescribedSlice>() : nullptr;
    if (!frame.timeline.index || !described || !described->facts) return;
    state["selection"] = state_of(*described, frame.timeline.trace());
    state["selection"]["in_view"] = is_in_view(frame.timeline, described->slice);
}

// At the slice, if it is in view.
void SelectionFeature::ask_for_menu(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    if (!timeline.index || !timeline.selected) {
        frame.notify("Select a slice first: the menu acts on the selection.");
        return;
    }
    const SliceBox slice = slice_box(timeline, timeline.selected);
    const Box& lanes = timeline.areas.lanes;
    menu_at_ =
        ImVec2{std::clamp(slice.x0, lanes.x0, lanes.x1), std::clamp(slice.y1, lanes.y0, lanes.y1)};
}

void SelectionFeature::draw_on_timeline(ImVec2 /*min*/, ImVec2 /*max*/, Frame& frame) {
    if (frame.requests.take<OpenSliceMenu>() || menu_at_)
        open_popup("slice menu", std::exchange(menu_at_, std::nullopt));
    const Look& look = frame.look;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(8), look.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(8)});
    if (ImGui::BeginPopup("slice menu")) {
        const auto item = [&frame](const char* title, Action action) {
            if (ImGui::MenuItem(title, keys_of(frame.keys, action).c_str()))
                frame.requests.act(action);
        };
        item("Frame it", Action::frame);
        item("Mark its time", Action::range_of_selection);
        item("All like it", Action::all_alike);
        item("Statistics", Action::statistics);
        item("What if it took less", Action::what_if);
        ImGui::Separator();
        item("Parent", Action::parent);
        item("First child", Action::child);
        item("Along the flow", Action::flow_forward);
        item("Back along the flow", Action::flow_back);
        ImGui::Separator();
        item("Copy name", Action::copy_name);
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
