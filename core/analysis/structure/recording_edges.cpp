#include "core/analysis/structure/recording_edges.h"

#include <algorithm>
#include <string_view>

#include "core/analysis/context.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/steps.h"
#include "core/base/intervals.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

// Maximum share of the device's work on the outer side of the gap.
constexpr double kOuterShare = 0.01;

// The longest idle time of the device, and the work after it.
struct Gap {
    TimeRange range;
    const GpuWork* after = nullptr;
};

Gap longest_gap(const GpuDevice& device) {
    Gap longest;
    Nanos end = device.work.front().range.end;
    for (const GpuWork& work : device.work) {
        if (work.range.begin - end > longest.range.length())
            longest = {{end, work.range.begin}, &work};
        end = std::max(end, work.range.end);
    }
    return longest;
}

class EdgeFinder {
  public:
    explicit EdgeFinder(const TraceContext& context)
        : trace_(context.trace()),
          steps_(context.get<Steps>().all),
          launch_(context.get<Attribution>().launch) {}

    std::optional<RecordingEdge> edge_of(const GpuDevice& device) const {
        if (steps_.size() > 1 || device.work.empty()) return {};
        const Gap gap = longest_gap(device);
        if (2 * gap.range.length() <= span_of(device.work).length()) return {};
        const Step* const step = step_of(device);
        // Work that starts only after its step has ended on the host was not delayed by the
        // profiler.
        if (step && device.work.front().range.begin >= step->range.end) return {};
        Nanos busy = 0;
        for (const GpuWork& work : device.work) busy += work.range.length();
        for (const bool at_begin : {true, false}) {
            RecordingEdge edge = edge_at(device, gap.range, at_begin);
            if (static_cast<double>(edge.busy) > kOuterShare * static_cast<double>(busy)) continue;
            edge.is_covered =
                !step || 2 * covered_length({step->range}, gap.range) > gap.range.length();
            if ((edge.is_covered && !was_launched(gap)) || is_explained(gap)) return {};
            return edge;
        }
        return {};
    }

  private:
    // The trace's step, if its process launches the device's work.
    const Step* step_of(const GpuDevice& device) const {
        if (steps_.empty()) return nullptr;
        const auto is_launched = [&](const GpuWork& work) {
            const SliceRef call = launch_[work.row];
            return call && trace_.lanes[call.lane].process == steps_.front().process;
        };
        return std::ranges::any_of(device.work, is_launched) ? &steps_.front() : nullptr;
    }

    static RecordingEdge edge_at(const GpuDevice& device, TimeRange gap, bool at_begin) {
        RecordingEdge edge{.range = gap, .at_begin = at_begin};
        for (const GpuWork& work : device.work) {
            if ((work.range.begin < gap.begin) != at_begin) continue;
            ++edge.activities;
            edge.busy += work.range.length();
        }
        return edge;
    }

    // Whether the work after the gap was launched before most of the gap.
    bool was_launched(const Gap& gap) const {
        const SliceRef call = launch_[gap.after->row];
        return call && 2 * (gap.range.end - trace_.slice_end(call)) > gap.range.length();
    }

    // Whether the program's own work fills the gap.
    bool is_explained(const Gap& gap) const {
        if (calls_host_functions_) return true;
        const SliceRef call = launch_[gap.after->row];
        if (!call) return false;
        const Nanos middle = gap.range.begin + gap.range.length() / 2;
        SliceRef innermost;
        for (uint32_t depth = 0; depth < trace_.lanes[call.lane].depth_count; ++depth) {
            const SliceRef slice = slice_at(trace_, call.lane, depth, middle);
            if (!slice) continue;
            const TimeRange time{trace_.start(slice), trace_.slice_end(slice)};
            if (2 * covered_length({time}, gap.range) > gap.range.length()) innermost = slice;
        }
        if (!innermost) return false;
        const EventClass kind = trace_.event_class(innermost);
        const bool is_work = kind == EventClass::python || kind == EventClass::module ||
                             kind == EventClass::op || kind == EventClass::other;
        return is_work && trace_.name(innermost).find("rofiler") == std::string_view::npos;
    }

    // cudaLaunchHostFunc, hipLaunchHostFunc: the stream waits for a function on the host.
    static bool names_host_function(const Trace& trace) {
        for (StringId name = 0; name < trace.strings.size(); ++name)
            if (trace.strings[name].find("LaunchHostFunc") != std::string_view::npos) return true;
        return false;
    }

    const Trace& trace_;
    const bool calls_host_functions_ = names_host_function(trace_);
    const std::vector<Step>& steps_;
    const std::vector<SliceRef>& launch_;
};

}  // namespace

TimeRange RecordingEdge::rest_of(TimeRange time) const {
    const TimeRange rest = at_begin ? TimeRange{std::max(time.begin, range.end), time.end}
                                    : TimeRange{time.begin, std::min(time.end, range.begin)};
    return rest.begin < rest.end ? rest : time;
}

RecordingEdges RecordingEdges::compute(const TraceContext& context) {
    RecordingEdges edges;
    const EdgeFinder finder(context);
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        edges.of_device.push_back(finder.edge_of(device));
    return edges;
}

}  // namespace lanescope
