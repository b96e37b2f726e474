#include "core/trace/launch_queues.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

struct StreamTimes {
    std::vector<Nanos> launches;
    std::vector<Nanos> begins;
};

// Launch and start times by lane. Links by target and GPU activities are in the same order. If an
// activity has several launches, the first counts.
std::vector<StreamTimes> times_of_streams(const Trace& trace) {
    std::vector<StreamTimes> times(trace.lanes.size());
    const Column<SliceRef>& activities = trace.gpu_activities.slice;
    std::size_t row = 0;
    for (const uint32_t i : trace.links_by_target) {
        const Link& link = trace.links[i];
        if (link.kind != LinkKind::launch) continue;
        while (row < activities.size() && activities[row] < link.to) ++row;
        if (row == activities.size()) break;
        if (activities[row] != link.to) continue;
        times[link.to.lane].launches.push_back(trace.start(link.from));
        times[link.to.lane].begins.push_back(trace.start(link.to));
        ++row;
    }
    return times;
}

std::shared_ptr<const CounterSeries> series_of(StreamTimes times) {
    const std::vector<QueuePoint> curve =
        queue_curve(std::move(times.launches), std::move(times.begins));
    auto series = std::make_shared<CounterSeries>();
    series->time = Column<Nanos>(curve.size());
    series->value = Column<double>(curve.size());
    for (std::size_t i = 0; i < curve.size(); ++i) {
        series->time[i] = curve[i].time;
        series->value[i] = static_cast<double>(curve[i].length);
    }
    const auto [lowest, highest] = std::minmax_element(series->value.begin(), series->value.end());
    series->min = *lowest;
    series->max = *highest;
    return series;
}

}  // namespace

std::vector<QueuePoint> queue_curve(std::vector<Nanos> launches, std::vector<Nanos> begins) {
    radix_sort(launches, radix_key);
    radix_sort(begins, radix_key);
    std::vector<QueuePoint> curve;
    curve.reserve(launches.size() + begins.size());
    int64_t length = 0;
    auto begun = begins.begin();
    for (const Nanos launch : launches) {
        for (; begun != begins.end() && *begun <= launch; ++begun)
            curve.push_back({*begun, --length});
        curve.push_back({launch, ++length});
    }
    for (; begun != begins.end(); ++begun) curve.push_back({*begun, --length});
    return curve;
}

void add_launch_queues(Trace& trace) {
    std::vector<StreamTimes> times = times_of_streams(trace);
    for (LaneId id = 0; id < times.size(); ++id) {
        if (times[id].launches.empty()) continue;
        Lane queue;
        queue.kind = LaneKind::counter;
        queue.derived = true;
        queue.process = trace.lanes[id].process;
        queue.tid = trace.lanes[id].tid;
        queue.name = trace.strings.intern(kLaunchQueueName);
        queue.sort_index = trace.lanes[id].sort_index;
        queue.counter = series_of(std::move(times[id]));
        trace.lanes.push_back(std::move(queue));
    }
}

}  // namespace lanescope
