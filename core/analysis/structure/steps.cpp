#include "core/analysis/structure/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>

#include "core/analysis/context.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/process_cell.h"
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

// All slices that are steps of the profiler, by process and begin, the longer first.
std::vector<Step> drawn_steps(const Trace& trace) {
    std::vector<int64_t> index_of_name(trace.strings.size(), -1);
    bool any = false;
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        index_of_name[id] = profiler_step_index(trace.strings[id]);
        any = any || index_of_name[id] >= 0;
    }
    std::vector<Step> drawn;
    if (!any) return drawn;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (!is_cpu_thread(trace, trace.lanes[lane])) continue;
        const LaneView view(trace.lanes[lane]);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (const int64_t index = index_of_name[view.name(i)]; index >= 0)
                drawn.push_back(step_of(trace, lane, i, index));
    }
    std::ranges::stable_sort(drawn, {}, [](const Step& step) {
        return std::tuple(step.process, step.range.begin, -step.range.end);
    });
    return drawn;
}

// Steps are recorded on one thread of a process, and may be drawn again by Python frames: of slices
// with the same number that overlap, the longest counts. Other slices with the same number are
// steps of another recorded window.
std::vector<Step> profiler_steps(const Trace& trace) {
    std::vector<Step> all;
    std::map<std::pair<uint32_t, int64_t>, std::size_t> last;  // in `all`
    for (const Step& step : drawn_steps(trace)) {
        const auto [known, added] = last.try_emplace({step.process, step.index}, all.size());
        if (!added && all[known->second].range.overlaps(step.range)) {
            if (step.range.length() > all[known->second].range.length()) all[known->second] = step;
            continue;
        }
        known->second = all.size();
        all.push_back(step);
    }
    return all;
}

// Numbers the recorded windows. `steps`: by process and begin.
void number_windows(std::vector<Step>& steps) {
    std::map<std::pair<uint32_t, int64_t>, uint32_t> count;
    for (const Step& step : steps) ++count[{step.process, step.index}];
    for (Step& step : steps) step.repeated = count[{step.process, step.index}] > 1;
    for (std::size_t i = 1; i < steps.size(); ++i) {
        const Step& before = steps[i - 1];
        if (before.process != steps[i].process) continue;
        steps[i].window = before.window + (steps[i].index == before.index + 1 ? 0 : 1);
    }
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
    const std::string name = steps.source == StepSource::profiler
                                 ? std::string(trace.strings[described.name])
                                 : fmt::format("step {}", described.index);
    return described.repeated ? fmt::format("{}@{}", name, described.window) : name;
}

std::string full_step_label(const Trace& trace, const Steps& steps, uint32_t step) {
    std::string label = step_label(trace, steps, step);
    // Steps are sorted by their processes.
    if (steps.all.front().process == steps.all.back().process) return label;
    return fmt::format("{} of {}", label, process_text(trace, steps.all[step].process));
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
        if (way.source == StepSource::profiler) number_windows(steps.all);
        return steps;
    }
    return {};
}

Intervals between_windows(const Steps& steps, uint32_t process) {
    std::vector<TimeRange> between;
    for (std::size_t i = 1; i < steps.all.size(); ++i) {
        const Step& before = steps.all[i - 1];
        const Step& after = steps.all[i];
        if (before.process == process && after.process == process &&
            before.window != after.window && before.range.end < after.range.begin)
            between.push_back({before.range.end, after.range.begin});
    }
    return merged(std::move(between));
}

Steps Steps::compute(const TraceContext& context) {
    return find_steps(context.trace());
}

}  // namespace lanescope
