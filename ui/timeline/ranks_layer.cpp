#include "ui/timeline/ranks_layer.h"

#include <algorithm>

#include "ui/timeline/lane_painter.h"

namespace lanescope {

void RanksLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage != LaneStage::flows || !in.timeline.selected) return;
    std::vector<SliceBox> boxes;
    for (const SliceRef slice : same_call) {
        const SliceBox box = slice_box(in.timeline, slice);
        if (box.visible) boxes.push_back(box);
    }
    if (boxes.size() < 2) return;
    std::ranges::sort(boxes, {}, &SliceBox::y0);
    const float px = in.look.scale;
    const ImU32 color = in.look.colors.waiting;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const SliceBox& box = boxes[i];
        to.list.AddRect({box.x0 - px, box.y0 - px}, {box.x1 + px, box.y1 + px}, color, 0,
                        1.5f * px);
        if (i == 0) continue;
        const SliceBox& above = boxes[i - 1];
        to.list.AddLine({above.x0, above.y1}, {box.x0, box.y0}, color, 1.5f * px);
        to.list.AddCircleFilled({above.x0, above.y1}, 2.5f * px, color);
        to.list.AddCircleFilled({box.x0, box.y0}, 2.5f * px, color);
    }
}

}  // namespace lanescope
