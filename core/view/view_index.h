// ViewIndex: what the timeline derives once from each trace, beside the levels of detail that the
// trace has. It costs a pass over names and counter samples: build it when a trace arrives, not in
// a frame.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/trace/trace.h"
#include "core/view/shown_lanes.h"
#include "core/view/slice_classes.h"

namespace lanescope {

// Smallest and largest value of 64 samples, and of 64 of those, and so on.
struct CounterRange {
    double min = 0;
    double max = 0;

    bool empty() const { return min > max; }  // no sample, or none that is a number
};
struct CounterLevels {
    std::vector<std::vector<CounterRange>> levels;

    // Over the samples [begin, end) of `values`.
    CounterRange range(std::span<const double> values, std::size_t begin, std::size_t end) const;
};

// The slots of one lane as it is shown, where name and category alone do not tell them.
struct LaneSlots {
    struct ChunkSlots {
        const Slot* of_slice = nullptr;      // by index in the chunk
        std::vector<Column<Slot>> of_entry;  // by depth, then as LevelsOfDetail::entries
    };
    Column<Slot> part;               // of a lane of which only a part is shown
    std::vector<ChunkSlots> chunks;  // as Lane::chunks
};

struct ViewIndex {
    TracePtr trace;
    SliceClassesPtr classes;
    ShownLanesPtr shown;                  // what is shown of the lanes; null: all of it
    TimeRange bulk;                       // where a first look begins: see bulk_of()
    std::vector<CounterLevels> counters;  // by lane; empty for lanes without a counter
    std::vector<LaneSlots> lane_slots;    // by lane; empty: `classes->table` tells them

    const SlotTable& slots() const { return classes->table; }
    // Null where name and category tell the slot.
    const LaneSlots* slots_of(LaneId lane) const {
        return lane_slots.empty() || lane_slots[lane].chunks.empty() ? nullptr : &lane_slots[lane];
    }
};
using ViewIndexPtr = std::shared_ptr<const ViewIndex>;

// Coloured by category, uncounted.
ViewIndexPtr build_view_index(TracePtr trace, LaneFilter filter = {});
// The same with other classes, of the same trace: a byte for each entry of the levels of detail.
ViewIndexPtr with_classes(const ViewIndex& index, SliceClassesPtr classes);

}  // namespace lanescope
