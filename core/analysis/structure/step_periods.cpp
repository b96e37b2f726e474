// Steps from repeating operators: core/analysis/structure/step_finders.h.
#include <algorithm>
#include <utility>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/step_finders.h"

namespace lanescope {

namespace {

// Indices of a lane's outermost operators, sorted by time.
std::vector<uint32_t> outermost_operators(const Trace& trace, const LaneView& view) {
    std::vector<uint32_t> ops;
    for (uint32_t i = 0; i < view.size(); ++i)
        if (trace.categories[view.category(i)].event_class == EventClass::op) ops.push_back(i);
    std::stable_sort(ops.begin(), ops.end(),
                     [&](uint32_t a, uint32_t b) { return view.start(a) < view.start(b); });
    std::vector<uint32_t> outermost;
    Nanos covered = INT64_MIN;
    for (const uint32_t i : ops) {
        if (view.start(i) < covered) continue;
        covered = std::max(covered, view.end(i));
        outermost.push_back(i);
    }
    return outermost;
}

struct Period {
    std::size_t length = 0;  // 0: nothing repeats
    std::size_t begin = 0;   // the sequence repeats from here to the end
};

// The shortest sequence that repeats at least three times up to the end of `names`, and makes up at
// least half of it. Uses the prefix table of Knuth, Morris and Pratt over the reversed names: the
// shortest period of the last n is n - table[n - 1].
Period period_of(const std::vector<StringId>& names) {
    const std::size_t size = names.size();
    const auto from_end = [&](std::size_t i) { return names[size - 1 - i]; };
    std::vector<std::size_t> table(size);
    Period found;
    for (std::size_t i = 1, k = 0; i < size; ++i) {
        while (k > 0 && from_end(i) != from_end(k)) k = table[k - 1];
        if (from_end(i) == from_end(k)) ++k;
        table[i] = k;
        const std::size_t length = i + 1;
        const std::size_t period = length - k;
        if (found.length > 0 && period != found.length) break;
        if (2 * length >= size && 3 * period <= length) found = {period, size - length};
    }
    return found;
}

// The position of a step's begin in the sequence: its first operator if all operators repeat, else
// the one after the longest pause.
std::size_t first_of_step(const LaneView& view, const std::vector<uint32_t>& ops, Period period) {
    if (period.begin == 0) return 0;
    std::vector<Nanos> pauses(period.length);
    for (std::size_t i = period.begin + 1; i < ops.size(); ++i)
        pauses[(i - period.begin) % period.length] += view.start(ops[i]) - view.end(ops[i - 1]);
    const auto longest = std::max_element(pauses.begin(), pauses.end());
    return period.begin + static_cast<std::size_t>(longest - pauses.begin());
}

void add_steps(const Trace& trace, LaneId lane, std::vector<Step>& steps) {
    const LaneView view(trace.lanes[lane]);
    const std::vector<uint32_t> ops = outermost_operators(trace, view);
    std::vector<StringId> names;
    names.reserve(ops.size());
    for (const uint32_t i : ops) names.push_back(view.name(i));
    const Period period = period_of(names);
    if (period.length == 0) return;
    std::size_t i = first_of_step(view, ops, period);
    for (int64_t index = 0; i + period.length <= ops.size(); i += period.length, ++index) {
        const std::size_t next = i + period.length;
        const Nanos end = next < ops.size() ? view.start(ops[next]) : view.end(ops[next - 1]);
        steps.push_back(
            {names[i], index, trace.lanes[lane].process, {view.start(ops[i]), end}, {}, {}});
    }
}

}  // namespace

std::vector<Step> steps_by_operators(const Trace& trace) {
    // For each process the thread with most operators, counted at all depths.
    std::vector<std::pair<uint64_t, LaneId>> busiest(trace.processes.size());
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (!is_cpu_thread(trace, trace.lanes[lane])) continue;
        const LaneView view(trace.lanes[lane]);
        uint64_t count = 0;
        for (uint32_t i = 0; i < view.size(); ++i)
            if (trace.categories[view.category(i)].event_class == EventClass::op) ++count;
        auto& most_operators = busiest[trace.lanes[lane].process];
        if (count > most_operators.first) most_operators = {count, lane};
    }
    std::vector<Step> steps;
    for (const auto& [count, lane] : busiest)
        if (count > 0) add_steps(trace, lane, steps);
    end_last_with_work(trace, steps);
    return steps;
}

}  // namespace lanescope
