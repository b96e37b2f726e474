#include "core/analysis/statistics/open_ranges.h"

#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lane_view.h"

namespace lanescope {

OpenRanges::OpenRanges(const Trace& trace, LaneId lane) {
    const LaneView view(trace.lanes[lane]);
    const CallTree tree = build_call_tree(trace.lanes[lane]);
    std::vector<uint32_t> open;  // annotations
    const auto close = [&] {
        add(view.end(open.back()), {lane, open.back()});
        open.pop_back();
    };
    for (const uint32_t i : tree.order) {
        if (trace.event_class({lane, i}) != EventClass::annotation) continue;
        while (!open.empty() && view.end(open.back()) <= view.start(i)) close();
        if (!open.empty()) add(view.start(i), {lane, open.back()});
        at_ = std::max(at_, view.start(i));
        open.push_back(i);
    }
    while (!open.empty()) close();
}

void OpenRanges::add(Nanos end, SliceRef range) {
    if (end > at_) parts_.push_back({{at_, end}, range});
    at_ = std::max(at_, end);
}

}  // namespace lanescope
