// HTA's treatment of a file's events before it counts, for comparisons.
#pragma once

#include <cmath>
#include <limits>
#include <set>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/base/nanos.h"
#include "core/trace/trace.h"

namespace lanescope::testing {

// Microseconds as doubles; begins are rounded up and ends rounded down to whole ones.
inline TimeRange in_whole_micros(TimeRange range) {
    const auto micros = [](Nanos t) {
        return static_cast<double>(static_cast<long double>(t) / 1000);
    };
    const double begin = micros(range.begin);
    const double end = begin + micros(range.length());
    return {static_cast<Nanos>(std::ceil(begin)) * 1000,
            static_cast<Nanos>(std::floor(end)) * 1000};
}

inline TimeRange in_whole_micros(const Trace& trace, SliceRef slice) {
    return in_whole_micros({trace.start(slice), trace.slice_end(slice)});
}

// Launches from here on are left out: the begin of the last ProfilerStep, on the CPU or, as an
// annotation, on a GPU. No limit if there are not several.
inline Nanos last_step_of_hta(const Trace& trace) {
    Nanos last = std::numeric_limits<Nanos>::min();
    std::set<StringId> names;
    for (const Lane& lane : trace.lanes) {
        const LaneView view(lane);
        for (uint32_t i = 0; i < view.size(); ++i) {
            if (profiler_step_index(trace.strings[view.name(i)]) < 0) continue;
            names.insert(view.name(i));
            last = std::max(last, in_whole_micros({view.start(i), view.end(i)}).begin);
        }
    }
    return names.size() > 1 ? last : std::numeric_limits<Nanos>::max();
}

}  // namespace lanescope::testing
