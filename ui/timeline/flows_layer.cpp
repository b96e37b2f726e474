#include "ui/timeline/flows_layer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/timeline/flow_painter.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxAllFlows = 400;  // maximum number of flows drawn for all slices in view

// `found` is a reusable buffer, which keeps the flows that were drawn.
void paint_all_flows(const PaintInput& in, VisibleLinks& found, ImDrawList& list) {
    const Trace& trace = in.timeline.trace();
    find_visible_links(trace, in.items, kMaxAllFlows, found);
    // A few flows may be prominent; many would hide the slices that they connect.
    const float strength = found.links.size() < 60 ? 0.8f : 0.4f;
    const FlowLook launch{with_alpha(in.look.colors.accent, strength), 1, 10};
    const FlowLook other{with_alpha(in.look.colors.mid, strength), 1, 10};
    std::size_t drawn = 0;
    for (const uint32_t index : found.links) {
        const Link& link = trace.links[index];
        drawn += paint_flow(in, list, link.from, link.to,
                            link.kind == LinkKind::launch ? launch : other);
    }
    found.links.resize(drawn);
}

// A flow between a pinned lane and another one is drawn in both areas, and counts once.
void count_flows(const VisibleLinks& main, const VisibleLinks* pinned, ShownFlows& flows) {
    flows = {main.links.size(), main.all};
    if (!pinned) return;
    const auto twice =
        static_cast<std::size_t>(std::ranges::count_if(pinned->links, [&](uint32_t link) {
            return std::ranges::binary_search(main.links, link);
        }));
    flows.drawn += pinned->links.size() - twice;
    flows.all += pinned->all - twice;
}

}  // namespace

void FlowsLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage != LaneStage::flows) return;
    if (!to.pinned) flows_ = {};
    if (!shown) return;
    paint_all_flows(in, to.pinned ? pinned_ : main_, to.list);
    count_flows(main_, to.pinned ? &pinned_ : nullptr, flows_);
}

void FlowsLayer::describe(const Timeline& /*timeline*/, nlohmann::json& state) const {
    state["flows"] = {{"shown", shown}, {"drawn", flows_.drawn}, {"all", flows_.all}};
}

}  // namespace lanescope
