// ViewIndex: data that the timeline derives once for each trace, in addition to the trace's levels
// of detail. It requires a pass over names and counter samples: build it when a trace arrives, not
// in a frame.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/trace.h"
#include "core/view/lane_arrangement.h"
#include "core/view/shown_lanes.h"
#include "core/view/slice_classes.h"

namespace lanescope {

// Smallest and largest value of 64 samples, of 64 such blocks, and so on.
struct CounterRange {
    double min = 0;
    double max = 0;

    bool empty() const { return min > max; }  // there is no sample, or no sample is a number
};
struct CounterLevels {
    std::vector<std::vector<CounterRange>> levels;

    // The range of the samples [begin, end) of `values`.
    CounterRange range(std::span<const double> values, std::size_t begin, std::size_t end) const;
};

// The slots of one displayed lane, if name and category alone do not determine them.
struct LaneSlots {
    struct ChunkSlots {
        const Slot* of_slice = nullptr;      // by index in the chunk
        std::vector<Column<Slot>> of_entry;  // by depth, then as LevelsOfDetail::entries
    };
    Column<Slot> part;               // of a lane that is only partly shown
    std::vector<ChunkSlots> chunks;  // as Lane::chunks
};

struct ViewIndex {
    TracePtr trace;
    SliceClassesPtr classes;
    // The arrangement of lanes until the user changes it.
    std::shared_ptr<const LaneArrangement> first;
    ShownLanesPtr shown;                  // visible parts of lanes; null: everything
    TimeRange bulk;                       // where the first view begins: see bulk_of()
    std::vector<CounterLevels> counters;  // by lane; empty for lanes without a counter
    std::vector<LaneSlots> lane_slots;    // by lane; empty: `classes->table` determines them

    const SlotTable& slots() const { return classes->table; }
    // Null if name and category determine the slot.
    const LaneSlots* slots_of(LaneId lane) const {
        return lane_slots.empty() || lane_slots[lane].chunks.empty() ? nullptr : &lane_slots[lane];
    }
};
using ViewIndexPtr = std::shared_ptr<const ViewIndex>;

// Coloured by category, without counts. Without a filter, that of the first arrangement.
ViewIndexPtr build_view_index(TracePtr trace, std::optional<LaneFilter> filter = LaneFilter());
// The same index with other classes of the same trace: needs a byte for each entry of the levels of
// detail.
ViewIndexPtr with_classes(const ViewIndex& index, SliceClassesPtr classes);

}  // namespace lanescope
