// Steps whose annotations only time the dispatch of GPU work:
// core/analysis/structure/step_finders.h.
#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/structure/step_finders.h"

namespace lanescope {

namespace {

Nanos median(std::vector<Nanos> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// The launches of one process and the ends of their work, by begin of the launch.
struct Launched {
    Nanos begin = 0;
    Nanos end = 0;
};
std::map<uint32_t, std::vector<Launched>> launches_by_process(const Trace& trace) {
    std::map<uint32_t, std::vector<Launched>> launches;
    for (const Link& link : trace.links)
        if (link.kind == LinkKind::launch)
            launches[trace.lanes[link.from.lane].process].push_back(
                {trace.start(link.from), trace.slice_end(link.to)});
    for (auto& [process, all] : launches) std::ranges::sort(all, {}, &Launched::begin);
    return launches;
}

using Launches = std::vector<Launched>;

// The end of the work that is launched in a range; the begin of the range: none is.
Nanos end_of_work(const Launches& launches, TimeRange range) {
    Nanos end = range.begin;
    auto at = std::ranges::lower_bound(launches, range.begin, {}, &Launched::begin);
    for (; at != launches.end() && at->begin < range.end; ++at) end = std::max(end, at->end);
    return end;
}

// The median distance between the begins of a process's steps. With a single step: the time from
// its begin to the end of the work that was launched in its annotation.
Nanos usual_distance(std::span<const Step> steps, const Launches& launches) {
    if (steps.size() == 1)
        return end_of_work(launches, steps.front().range) - steps.front().range.begin;
    std::vector<Nanos> distances;
    for (std::size_t i = 1; i < steps.size(); ++i)
        distances.push_back(steps[i].range.begin - steps[i - 1].range.begin);
    return median(std::move(distances));
}

// `steps`: of one process, by begin.
bool extend(std::span<Step> steps, const Launches& launches) {
    std::vector<Nanos> lengths;
    for (const Step& step : steps) lengths.push_back(step.range.length());
    const Nanos usual = usual_distance(steps, launches);
    if (2 * median(std::move(lengths)) >= usual) return false;
    std::vector<Nanos> ends;
    bool any = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const TimeRange own = steps[i].range;
        const bool last = i + 1 == steps.size();
        const Nanos next = last ? std::max(own.end, own.begin + usual) : steps[i + 1].range.begin;
        const Nanos end = end_of_work(launches, {own.begin, next});
        any = any || end > own.begin;
        ends.push_back(std::max(own.end, last ? end : std::min(end, next)));
    }
    if (!any) return false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i].by_work = true;
        if (steps[i].range.end != ends[i]) steps[i].slice = {};
        steps[i].range.end = ends[i];
    }
    return true;
}

}  // namespace

void end_last_with_work(const Trace& trace, std::vector<Step>& steps) {
    const auto launches = launches_by_process(trace);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        Step& step = steps[i];
        const auto of_process = launches.find(step.process);
        const bool last = i + 1 == steps.size() || steps[i + 1].process != step.process;
        if (!last || of_process == launches.end()) continue;
        std::vector<Nanos> lengths;
        for (std::size_t k = i; k-- > 0 && steps[k].process == step.process;)
            lengths.push_back(steps[k].range.length());
        if (lengths.empty()) continue;
        const Nanos latest = step.range.begin + median(std::move(lengths));
        step.range.end =
            std::max(step.range.end, std::min(latest, end_of_work(of_process->second, step.range)));
    }
}

bool end_with_work(const Trace& trace, std::vector<Step>& steps) {
    std::ranges::stable_sort(
        steps, {}, [](const Step& step) { return std::pair(step.process, step.range.begin); });
    const auto launches = launches_by_process(trace);
    bool any = false;
    for (auto begin = steps.begin(); begin != steps.end();) {
        const auto end = std::find_if(
            begin, steps.end(), [&](const Step& step) { return step.process != begin->process; });
        if (const auto of_process = launches.find(begin->process); of_process != launches.end())
            any = extend({begin, end}, of_process->second) || any;
        begin = end;
    }
    return any;
}

}  // namespace lanescope
