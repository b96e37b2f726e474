#include "core/analysis/structure/lost_launches.h"

#include "core/analysis/context.h"
#include "core/analysis/structure/steps.h"
#include "core/trace/record_faults.h"

namespace lanescope {

namespace {

constexpr double kMostLost = 0.05;  // of a step's launches

// How many of some launches each step made.
std::vector<uint32_t> by_step(const Trace& trace, const Steps& steps,
                              const std::vector<uint32_t>& calls) {
    std::vector<uint32_t> counts(steps.all.size());
    for (const uint32_t row : calls) {
        const SliceRef call = trace.runtime_calls.slice[row];
        const uint32_t step = steps.at(trace.lanes[call.lane].process, trace.start(call));
        if (step != kNoRow) ++counts[step];
    }
    return counts;
}

}  // namespace

LostLaunches LostLaunches::compute(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    const std::size_t count = steps.all.size();
    LostLaunches lost{launches_without_record(trace), std::vector<uint32_t>(count),
                      std::vector<bool>(count)};
    if (lost.rows.empty()) return lost;
    lost.of_step = by_step(trace, steps, lost.rows);
    const std::vector<uint32_t> launches = by_step(trace, steps, launches_of(trace));
    for (std::size_t step = 0; step < count; ++step)
        lost.is_lacking[step] = lost.of_step[step] > kMostLost * launches[step];
    return lost;
}

}  // namespace lanescope
