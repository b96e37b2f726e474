#include "ui/timeline/chain_layer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "ui/timeline/lane_painter.h"
#include "ui/timeline/navigation.h"
#include "ui/timeline/ranks_layer.h"

namespace lanescope {

namespace {

// Opacity of the background over dimmed slices: their texts remain readable.
constexpr float kVeil = 0.5f;
constexpr float kFrame = 2;  // space for the frame of the selected slice

// From top to bottom, and from left to right in each row.
std::vector<SliceBox> lit_boxes(const Timeline& timeline, float px) {
    std::vector<SliceBox> lit;
    std::vector<SliceRef> chain = chain_of(timeline.trace(), timeline.selected);
    for (const SliceRef peer : timeline.layer<RanksLayer>().same_call)
        if (std::ranges::find(chain, peer) == chain.end()) chain.push_back(peer);
    for (const SliceRef slice : chain) {
        SliceBox box = slice_box(timeline, slice);
        if (!box.visible) continue;
        if (slice == timeline.selected)
            box = {box.x0 - kFrame * px, box.y0 - kFrame * px, box.x1 + kFrame * px,
                   box.y1 + kFrame * px, true};
        lit.push_back(box);
    }
    std::ranges::sort(lit, [](const SliceBox& a, const SliceBox& b) {
        return a.y0 != b.y0 ? a.y0 < b.y0 : a.x0 < b.x0;
    });
    return lit;
}

void dim_the_rest(const PaintInput& in, ImDrawList& list) {
    const std::vector<SliceBox> lit = lit_boxes(in.timeline, in.look.scale);
    if (lit.empty()) return;
    const Box& lanes = in.timeline.areas.lanes;
    const ImU32 color = with_alpha(in.look.colors.bg, kVeil);
    const auto veil = [&](float x0, float y0, float x1, float y1) {
        if (x0 < x1 && y0 < y1) list.AddRectFilled({x0, y0}, {x1, y1}, color);
    };
    float y = lanes.y0;
    for (std::size_t i = 0; i < lit.size();) {
        const float top = std::clamp(lit[i].y0, y, lanes.y1);
        const float bottom = std::clamp(lit[i].y1, y, lanes.y1);
        veil(lanes.x0, y, lanes.x1, top);
        float x = lanes.x0;
        for (const float row = lit[i].y0; i < lit.size() && lit[i].y0 == row; ++i) {
            veil(x, top, std::min(lit[i].x0, lanes.x1), bottom);
            x = std::max(x, lit[i].x1);
        }
        veil(x, top, lanes.x1, bottom);
        y = bottom;
    }
    veil(lanes.x0, y, lanes.x1, lanes.y1);
}

}  // namespace

void ChainLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage == LaneStage::flows && in.timeline.selected) dim_the_rest(in, to.list);
}

void ChainLayer::describe(const Timeline& timeline, nlohmann::json& state) const {
    state["chain"] = nlohmann::json::array();
    for (const SliceRef slice : chain_of(timeline.trace(), timeline.selected))
        state["chain"].push_back(timeline.trace().name(slice));
}

}  // namespace lanescope
