#include "core/analysis/structure/device_steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "core/analysis/context.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/recording_edges.h"

namespace lanescope {

namespace {

constexpr double kDiffers = 1.05;
constexpr double kNotable = 0.05;

bool exceeds(Nanos a, Nanos b) {
    return static_cast<double>(a) > kDiffers * static_cast<double>(b);
}

Nanos median_of(std::vector<Nanos> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// The steps of one process: places in Steps::all.
struct StepsOf {
    uint32_t first = 0;
    uint32_t end = 0;
};

std::map<uint32_t, StepsOf> by_process(const Steps& steps) {
    std::map<uint32_t, StepsOf> processes;
    for (uint32_t i = 0; i < steps.all.size(); ++i) {
        const auto [at, added] = processes.try_emplace(steps.all[i].process, StepsOf{i, i});
        at->second.end = i + 1;
    }
    return processes;
}

bool begins_window(const Steps& steps, StepsOf of, uint32_t step) {
    return step == of.first || steps.all[step].window != steps.all[step - 1].window;
}

// Whether the host spends a notable time outside of steps before this one.
bool follows_pause(const Steps& steps, uint32_t step) {
    const TimeRange own = steps.all[step].range;
    const Nanos pause = own.begin - steps.all[step - 1].range.end;
    return static_cast<double>(pause) > kNotable * static_cast<double>(own.length());
}

// Assigns the work of each device to steps.
class WorkAssigner {
  public:
    WorkAssigner(const TraceContext& context, DeviceSteps& found)
        : trace_(context.trace()),
          steps_(context.get<Steps>()),
          launch_(context.get<Attribution>().launch),
          processes_(by_process(steps_)),
          found_(found) {}

    const std::map<uint32_t, StepsOf>& processes() const { return processes_; }

    void assign_launched() {
        StepCursor cursor(steps_);
        for (uint32_t row = 0; row < launch_.size(); ++row)
            if (const SliceRef call = launch_[row])
                found_.step_of_work[row] =
                    cursor.at(trace_.lanes[call.lane].process, trace_.start(call));
    }

    void add_device(const GpuDevice& device, const std::optional<RecordingEdge>& edge) {
        const std::optional<uint32_t> owner = owner_of(device);
        const bool any_launch = std::ranges::any_of(
            device.work, [&](const GpuWork& work) { return bool(launch_[work.row]); });
        if (owner && !any_launch) assign_by_time(device, *owner, {});
        for (const auto& [process, of] : processes_) {
            const std::vector<TimeRange> times = times_on(device, of, edge);
            if (owner == process && any_launch) assign_by_time(device, process, times);
        }
    }

  private:
    // The process whose steps work without a recorded launch belongs to: the one that launches most
    // on the device or, if no launch is recorded, the only one in the device's file with steps.
    std::optional<uint32_t> owner_of(const GpuDevice& device) const {
        std::map<uint32_t, uint64_t> launches;
        for (const GpuWork& work : device.work)
            if (const SliceRef call = launch_[work.row])
                ++launches[trace_.lanes[call.lane].process];
        if (!launches.empty()) {
            const auto most =
                std::ranges::max_element(launches, {}, [](const auto& one) { return one.second; });
            return processes_.contains(most->first) ? std::optional(most->first) : std::nullopt;
        }
        std::optional<uint32_t> only;
        for (const auto& [process, of] : processes_) {
            if (trace_.processes[process].part != trace_.processes[device.process].part) continue;
            if (only) return std::nullopt;
            only = process;
        }
        return only;
    }

    // The time of each of the process's steps on the device (see DeviceStep::device), which
    // replaces that on another device if it is longer. Empty ranges: no work.
    std::vector<TimeRange> times_on(const GpuDevice& device, StepsOf of,
                                    const std::optional<RecordingEdge>& edge) {
        std::vector<TimeRange> own(of.end - of.first, {INT64_MAX, INT64_MIN});
        for (const GpuWork& work : device.work) {
            const uint32_t step = found_.step_of_work[work.row];
            if (step < of.first || step >= of.end) continue;
            TimeRange& range = own[step - of.first];
            range = {std::min(range.begin, work.range.begin), std::max(range.end, work.range.end)};
        }
        std::vector<TimeRange> times(own.size());
        std::optional<Nanos> end;  // of the work of the steps before
        for (uint32_t step = of.first; step < of.end; ++step) {
            const TimeRange work = own[step - of.first];
            if (begins_window(steps_, of, step)) end.reset();
            if (work.begin > work.end) continue;
            TimeRange& time = times[step - of.first];
            time = {end.value_or(work.begin), std::max(end.value_or(work.end), work.end)};
            const Nanos begin = steps_.all[step].range.begin;
            if (end && *end < begin && follows_pause(steps_, step))
                time.begin = std::min(begin, work.begin);
            end = time.end;
            DeviceStep& longest = found_.all[step];
            if (longest.has_work && time.length() <= longest.device.length()) continue;
            longest.has_work = true;
            longest.device = edge ? edge->rest_of(time) : time;
            longest.work = edge ? edge->rest_of(work) : work;
            longest.host = edge ? edge->rest_of(steps_.all[step].range) : steps_.all[step].range;
        }
        return times;
    }

    // Assigns work without a recorded launch to the step whose time on the device it begins in, or
    // else to the step on the host.
    void assign_by_time(const GpuDevice& device, uint32_t process,
                        std::span<const TimeRange> times) {
        const uint32_t first = processes_.at(process).first;
        StepCursor cursor(steps_);
        std::size_t next = 0;
        for (const GpuWork& work : device.work) {
            if (launch_[work.row]) continue;
            const Nanos begin = work.range.begin;
            while (next < times.size() && times[next].end <= begin) ++next;
            const bool inside = next < times.size() && times[next].begin <= begin;
            const uint32_t step =
                inside ? first + static_cast<uint32_t>(next) : cursor.at(process, begin);
            found_.step_of_work[work.row] = step;
            if (step != kNoRow) ++found_.by_time;
        }
    }

    const Trace& trace_;
    const Steps& steps_;
    const std::vector<SliceRef>& launch_;
    std::map<uint32_t, StepsOf> processes_;
    DeviceSteps& found_;
};

StepPace pace_of(const Steps& steps, StepsOf of, std::span<const DeviceStep> all) {
    bool all_begin_later = true;  // than their step ends on the host
    std::vector<Nanos> host, device,
        after;  // `after`: from the end on the host to that of the work
    const auto add = [&](bool first_ones) {
        for (uint32_t i = of.first; i < of.end; ++i) {
            if (!all[i].has_work || begins_window(steps, of, i) != first_ones) continue;
            host.push_back(all[i].host.length());
            device.push_back(all[i].device.length());
            after.push_back(all[i].work.end - all[i].host.end);
            all_begin_later = all_begin_later && all[i].work.begin >= all[i].host.end;
        }
    };
    add(false);
    if (host.empty()) add(true);
    if (host.empty()) return StepPace::no_work;
    const Nanos usual = median_of(std::move(host));
    const Nanos on_device = median_of(std::move(device));
    const bool later =
        static_cast<double>(median_of(std::move(after))) > kNotable * static_cast<double>(usual);
    if (!later) return StepPace::with_host;
    if (exceeds(on_device, usual)) return StepPace::ahead;
    return all_begin_later && exceeds(usual, on_device) ? StepPace::late : StepPace::behind;
}

TimeRange window_of(const DeviceStep& step, StepPace pace, bool is_first) {
    if (!step.has_work || (pace != StepPace::behind && pace != StepPace::ahead)) return step.host;
    TimeRange window = step.device;
    if (is_first)
        window.begin =
            std::min(window.begin, std::max(step.host.begin, window.end - step.host.length()));
    return window;
}

}  // namespace

std::string_view step_pace_name(StepPace pace) {
    constexpr std::array<std::string_view, 5> names = {"no work", "with host", "behind",
                                                       "host ahead", "late"};
    return names[static_cast<std::size_t>(pace)];
}

TimeRange DeviceSteps::range(const Steps& steps, uint32_t step) const {
    const DeviceStep& one = all[step];
    if (!one.has_work) return one.host;
    const StepPace of_process = pace[steps.all[step].process];
    const bool on_device =
        of_process == StepPace::ahead ||
        (of_process == StepPace::behind && exceeds(one.device.length(), one.host.length()));
    return on_device ? one.device : one.host;
}

DeviceSteps DeviceSteps::compute(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    DeviceSteps found;
    found.all.resize(steps.all.size());
    found.step_of_work.assign(trace.gpu_activities.slice.size(), kNoRow);
    found.pace.assign(trace.processes.size(), StepPace::no_work);
    for (uint32_t i = 0; i < steps.all.size(); ++i)
        found.all[i].window = found.all[i].host = steps.all[i].range;
    if (steps.all.empty() || found.step_of_work.empty()) return found;
    WorkAssigner assigner(context, found);
    assigner.assign_launched();
    const std::vector<GpuDevice>& devices = context.get<GpuDevices>().all;
    const auto& edges = context.get<RecordingEdges>().of_device;
    for (std::size_t i = 0; i < devices.size(); ++i) assigner.add_device(devices[i], edges[i]);
    for (const auto& [process, of] : assigner.processes()) {
        found.pace[process] = pace_of(steps, of, found.all);
        for (uint32_t i = of.first; i < of.end; ++i)
            found.all[i].window =
                window_of(found.all[i], found.pace[process], begins_window(steps, of, i));
    }
    return found;
}

}  // namespace lanescope
