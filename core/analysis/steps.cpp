#include "core/analysis/steps.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "core/analysis/lane_view.h"

namespace lanescope {

namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";

bool runs_on_cpu(const Trace& trace, const Lane& lane) {
    return lane.kind == LaneKind::thread && !trace.processes[lane.process].is_gpu;
}

Step step_of(const Trace& trace, LaneId lane, uint32_t slice, int64_t index) {
    const LaneView view(trace.lanes[lane]);
    return {view.name(slice),
            index,
            trace.lanes[lane].process,
            {view.start(slice), view.end(slice)},
            {lane, slice}};
}

// Recorded on one thread of a process, and by Python frames perhaps drawn again: the longest
// counts.
std::vector<Step> profiler_steps(const Trace& trace) {
    std::vector<int64_t> index_of_name(trace.strings.size(), -1);
    bool any = false;
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        index_of_name[id] = profiler_step_index(trace.strings[id]);
        any = any || index_of_name[id] >= 0;
    }
    if (!any) return {};
    std::map<std::pair<uint32_t, int64_t>, Step> steps;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (!runs_on_cpu(trace, trace.lanes[lane])) continue;
        const LaneView view(trace.lanes[lane]);
        for (uint32_t i = 0; i < view.size(); ++i) {
            const int64_t index = index_of_name[view.name(i)];
            if (index < 0) continue;
            Step& step = steps[{trace.lanes[lane].process, index}];
            if (!step.slice || view.duration(i) > step.range.length())
                step = step_of(trace, lane, i, index);
        }
    }
    std::vector<Step> all;
    all.reserve(steps.size());
    for (auto& [key, step] : steps) all.push_back(step);
    return all;
}

// Outermost annotations of one name on one lane, where nothing else that encloses them is one.
std::vector<Step> annotation_steps(const Trace& trace) {
    std::map<std::pair<LaneId, StringId>, std::vector<uint32_t>> by_name;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (!runs_on_cpu(trace, trace.lanes[lane])) continue;
        const LaneView view(trace.lanes[lane]);
        Nanos covered = INT64_MIN;  // by annotations of shallower rows, when gone through by time
        std::vector<uint32_t> found;
        for (uint32_t i = 0; i < view.size(); ++i)
            if (trace.categories[view.category(i)].event_class == EventClass::annotation &&
                trace.strings[trace.categories[view.category(i)].name] != "Trace")
                found.push_back(i);
        std::stable_sort(found.begin(), found.end(),
                         [&](uint32_t a, uint32_t b) { return view.start(a) < view.start(b); });
        for (const uint32_t i : found) {
            if (view.start(i) < covered) continue;
            covered = std::max(covered, view.end(i));
            by_name[{lane, view.name(i)}].push_back(i);
        }
    }
    constexpr std::size_t fewest = 3;
    const auto most = std::max_element(
        by_name.begin(), by_name.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::vector<Step> steps;
    if (most == by_name.end() || most->second.size() < fewest) return steps;
    for (const uint32_t i : most->second)
        steps.push_back(step_of(trace, most->first.first, i, static_cast<int64_t>(steps.size())));
    return steps;
}

}  // namespace

int64_t profiler_step_index(std::string_view name) {
    if (!name.starts_with(kProfilerStep)) return -1;
    name.remove_prefix(kProfilerStep.size());
    int64_t index = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    return error == std::errc() && end == name.data() + name.size() ? index : -1;
}

bool is_data_loading(std::string_view name) {
    return name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#");
}

uint32_t Steps::at(uint32_t process, Nanos t) const {
    const auto after = std::upper_bound(all.begin(), all.end(), std::pair{process, t},
                                        [](const auto& key, const Step& s) {
                                            return key < std::pair{s.process, s.range.begin};
                                        });
    if (after == all.begin()) return kNoRow;
    const Step& step = *(after - 1);
    if (step.process != process || !step.range.contains(t)) return kNoRow;
    return static_cast<uint32_t>(after - 1 - all.begin());
}

Steps find_steps(const Trace& trace) {
    Steps steps{StepSource::profiler, profiler_steps(trace)};
    if (steps.all.empty()) steps = {StepSource::annotation, annotation_steps(trace)};
    if (steps.all.empty()) return {};
    std::sort(steps.all.begin(), steps.all.end(), [](const Step& a, const Step& b) {
        return std::tuple(a.process, a.range.begin) < std::tuple(b.process, b.range.begin);
    });
    return steps;
}

}  // namespace lanescope
