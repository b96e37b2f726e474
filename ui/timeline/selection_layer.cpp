#include "ui/timeline/selection_layer.h"

#include <algorithm>
#include <cmath>

#include "core/trace/query.h"
#include "ui/timeline/flow_painter.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxFlows = 64;  // maximum number of flows drawn for one slice
constexpr float kFlashReach = 12;      // px at scale 1 that the frame shrinks by while it fades

void paint_flash(const PaintInput& in, const Flash& flash, QuadBatch& batch) {
    if (flash.left <= 0 || flash.slice != in.timeline.selected) return;
    const SliceBox box = slice_box(in.timeline, flash.slice);
    if (!box.visible) return;
    const auto left = static_cast<float>(flash.left / Flash::kSeconds);
    const float line = std::max(2.0f, std::round(2 * in.look.scale));
    const float out = line + std::round(left * kFlashReach * in.look.scale);
    batch.frame(box.x0 - out, box.y0 - out, box.x1 + out, box.y1 + out, line,
                with_alpha(in.look.colors.accent, left));
}

void frame_selected(const PaintInput& in, QuadBatch& batch) {
    const SliceRef selected = in.timeline.selected;
    const SliceBox box = slice_box(in.timeline, selected);
    if (!box.visible) return;
    const float line = std::max(2.0f, std::round(1.5f * in.look.scale));
    const float out = line - std::max(1.0f, std::floor(in.look.scale / 2));
    batch.frame(box.x0 - out, box.y0 - out, box.x1 + out, box.y1 + out, line, in.look.colors.hi);
}

void paint_own_flows(const PaintInput& in, ImDrawList& list) {
    const SliceRef selected = in.timeline.selected;
    const Trace& trace = in.timeline.trace();
    const FlowLook look{in.look.colors.accent, 1.6f, 0};
    std::size_t drawn = 0;
    for (const Link& link : links_from(trace, selected)) {
        if (++drawn > kMaxFlows) return;
        paint_flow(in, list, selected, link.to, look);
    }
    for (const uint32_t index : links_to(trace, selected)) {
        if (++drawn > kMaxFlows) return;
        paint_flow(in, list, trace.links[index].from, selected, look);
    }
}

}  // namespace

bool SelectionLayer::step(double seconds) {
    flash.left = std::max(0.0, flash.left - seconds);
    return flash.left > 0;
}

void SelectionLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage == LaneStage::above_slices) paint_flash(in, flash, to.overlay);
    if (!in.timeline.selected) return;
    if (stage == LaneStage::above_slices) frame_selected(in, to.overlay);
    if (stage == LaneStage::flows) paint_own_flows(in, to.list);
}

}  // namespace lanescope
