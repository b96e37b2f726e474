// ViewIndex: what the timeline derives once from each trace, beside the levels of detail that the
// trace has. It costs a pass over names and counter samples: build it when a trace arrives, not in
// a frame.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/trace/trace.h"
#include "core/view/palette.h"
#include "core/view/shown_lanes.h"

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

struct ViewIndex {
    TracePtr trace;
    SlotTable slots;
    ShownLanesPtr shown;                  // what is shown of the lanes; null: all of it
    std::vector<CounterLevels> counters;  // by lane; empty for lanes without a counter
};
using ViewIndexPtr = std::shared_ptr<const ViewIndex>;

ViewIndexPtr build_view_index(TracePtr trace, ColorMode mode = ColorMode::category,
                              LaneFilter filter = {});

}  // namespace lanescope
