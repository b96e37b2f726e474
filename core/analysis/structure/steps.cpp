#include "core/analysis/structure/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>

#include "core/analysis/context.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/step_finders.h"

namespace lanescope {

namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";

Step step_of(const Trace& trace, LaneId lane, uint32_t slice, int64_t index) {
    const LaneView view(trace.lanes[lane]);
    return {view.name(slice),
            index,
            trace.lanes[lane].process,
            {view.start(slice), view.end(slice)},
            {lane, slice},
            {lane, slice}};
}

// Steps are recorded on one thread of a process, and may be drawn again by Python frames: the
// longest slice counts.
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
        if (!is_cpu_thread(trace, trace.lanes[lane])) continue;
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

}  // namespace

bool is_cpu_thread(const Trace& trace, const Lane& lane) {
    return lane.kind == LaneKind::thread && !trace.processes[lane.process].is_gpu;
}

std::string_view step_source_name(StepSource source) {
    constexpr std::array<std::string_view, 6> names = {
        "", "profiler", "annotation", "data loader", "optimizer", "operators"};
    return names[static_cast<std::size_t>(source)];
}

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

namespace {

// The first step of the process that begins after `t`.
auto first_after(const Steps& steps, uint32_t process, Nanos t) {
    return std::upper_bound(steps.all.begin(), steps.all.end(), std::pair{process, t},
                            [](const auto& key, const Step& s) {
                                return key < std::pair{s.process, s.range.begin};
                            });
}

}  // namespace

uint32_t Steps::at(uint32_t process, Nanos t) const {
    const auto after = first_after(*this, process, t);
    if (after == all.begin()) return kNoRow;
    const Step& step = *(after - 1);
    if (step.process != process || !step.range.contains(t)) return kNoRow;
    return static_cast<uint32_t>(after - 1 - all.begin());
}

void StepCursor::look_up(uint32_t process, Nanos t) {
    const auto& all = steps_->all;
    const auto after = first_after(*steps_, process, t);
    step_ = kNoRow;
    process_ = process;
    begin_ = kAllTime.begin;
    end_ = after != all.end() && after->process == process ? after->range.begin : kAllTime.end;
    if (after == all.begin() || (after - 1)->process != process) return;
    const TimeRange range = (after - 1)->range;
    begin_ = range.contains(t) ? range.begin : std::max(range.begin, range.end);
    if (!range.contains(t)) return;
    end_ = std::min(end_, range.end);
    step_ = static_cast<uint32_t>(after - 1 - all.begin());
}

std::string step_label(const Trace& trace, const Steps& steps, uint32_t step) {
    const Step& described = steps.all[step];
    return steps.source == StepSource::profiler ? std::string(trace.strings[described.name])
                                                : fmt::format("step {}", described.index);
}

Steps find_steps(const Trace& trace) {
    struct Way {
        StepSource source;
        std::vector<Step> (*find)(const Trace&);
    };
    constexpr std::array ways = {
        Way{StepSource::profiler, profiler_steps},
        Way{StepSource::annotation, steps_by_engine},
        Way{StepSource::annotation, steps_by_annotation},
        Way{StepSource::data_loader, steps_by_data_loader},
        Way{StepSource::optimizer, steps_by_optimizer},
        Way{StepSource::operators, steps_by_operators},
    };
    for (const Way& way : ways) {
        Steps steps{way.source, way.find(trace)};
        if (steps.all.empty()) continue;
        std::sort(steps.all.begin(), steps.all.end(), [](const Step& a, const Step& b) {
            return std::tuple(a.process, a.range.begin) < std::tuple(b.process, b.range.begin);
        });
        return steps;
    }
    return {};
}

Steps Steps::compute(const TraceContext& context) {
    return find_steps(context.trace());
}

}  // namespace lanescope
