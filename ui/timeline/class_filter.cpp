#include "ui/timeline/class_filter.h"

#include <utility>

#include "ui/timeline/lane_parts.h"

namespace lanescope {

FoundPtr find_classes(const ViewIndex& index, const SlotSet& chosen) {
    const Trace& trace = *index.trace;
    Matches matches;
    matches.trace = index.trace;
    matches.lanes.resize(trace.lanes.size());
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        LaneMatches& lane = matches.lanes[id];
        lane.bits.resize((trace.lanes[id].slice_count + 63) / 64);
        for (const auto& chunk : trace.lanes[id].chunks) {
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                const uint32_t at = chunk->first + i;
                const uint64_t bit = chosen[index.classes->slot_of(id, *chunk, i)];
                lane.bits[at / 64] |= bit << (at % 64);
            }
        }
        lane.seal();
        matches.count += lane.count;
    }
    return mark_matches(std::move(matches), index.bulk, lane_parts(index.shown));
}

void choose_class(SlotSet& chosen, Slot slot, bool add) {
    SlotSet alone;
    alone.set(slot);
    if (add)
        chosen.flip(slot);
    else
        chosen = chosen == alone ? SlotSet() : alone;
}

}  // namespace lanescope
