#include "core/analysis/gpu/launch_queue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

#include "core/analysis/statistics/distribution.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/base/radix_sort.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

constexpr std::string_view kNoLaunches = "no launches in the range";

struct StreamCurve {
    std::vector<QueuePoint> points;
    int64_t launches = 0;
};

StreamCurve curve_of(const TraceContext& context, const GpuStream& stream,
                     std::optional<TimeRange> range) {
    const Trace& trace = context.trace();
    StreamCurve curve;
    const std::vector<SliceRef>& calls = context.get<Attribution>().launch;
    std::vector<Nanos> launches;
    std::vector<Nanos> begins;
    launches.reserve(stream.work.size());
    begins.reserve(stream.work.size());
    for (const GpuWork& work : stream.work) {
        const SliceRef call = calls[work.row];
        if (!call) continue;
        launches.push_back(trace.start(call));
        begins.push_back(work.range.begin);
        if (!range || range->contains(launches.back())) ++curve.launches;
    }
    curve.points = queue_curve(std::move(launches), std::move(begins));
    return curve;
}

TimeRange span_of(std::span<const QueuePoint> points, std::optional<TimeRange> range) {
    if (points.empty()) return {};
    TimeRange span{points.front().time, points.back().time};
    if (range) span = {std::max(span.begin, range->begin), std::min(span.end, range->end)};
    return span;
}

// The data behind the table's rows: the points of all streams in sequence.
struct QueueRows {
    struct Queue {
        std::size_t end = 0;  // of its points
        int32_t device = -1;
        int32_t stream = -1;
        std::string_view pid;
    };

    explicit QueueRows(const TraceContext& whole) : context(whole) {}

    void add(const GpuDevice& device, const GpuStream& stream, std::span<const QueuePoint> curve) {
        points.insert(points.end(), curve.begin(), curve.end());
        const Trace& trace = context.trace();
        queues.push_back({points.size(), device.device, stream.stream,
                          trace.strings[trace.processes[device.process].pid]});
    }
    const Queue& queue(uint32_t i) const {
        return *std::ranges::upper_bound(queues, std::size_t{i}, {}, &Queue::end);
    }
    // Up to the next point of the same stream.
    TimeRange time(uint32_t i) const {
        const bool last = i + 1 == queue(i).end;
        return {points[i].time, points[last ? i : i + 1].time};
    }

    TraceContext context;
    std::vector<QueuePoint> points;
    std::vector<Queue> queues;
};

}  // namespace

struct StreamQueueTableRow {
    const Trace& trace;
    const GpuDevice& device;
    const GpuStream& stream;
    int64_t launches = 0;
    const QueueStatistics& queue;
    TimeRange span;

    std::string_view pid() const { return trace.strings[trace.processes[device.process].pid]; }
    // Unknown without launches.
    std::optional<int64_t> length(int64_t value) const {
        return queue.points > 0 ? std::optional(value) : std::nullopt;
    }
};

struct QueuePointTableRow {
    const QueueRows& source;
    uint32_t point = 0;
};

namespace {

constexpr ColumnText kDeviceText = {"device", Unit::none, kDistinct, "the file does not say",
                                    "Ordinal of the GPU."};
constexpr ColumnText kStream = {"stream", Unit::none, kDistinct, "not recorded",
                                "Id of the stream."};
constexpr ColumnText kProcessText = {"pid", Unit::none, kDistinct, "",
                                     "Id of the device's rows, as the file writes it."};

constexpr auto kStreamQueueColumns = columns<StreamQueueTableRow>({
    {kDeviceText, [](const StreamQueueTableRow& row) { return known(row.device.device, -1); }},
    {kStream, [](const StreamQueueTableRow& row) { return known(row.stream.stream, -1); }},
    {{"launches", Unit::count, kSum, "",
      "Activities whose launch call is in the file and begins in the range."},
     [](const StreamQueueTableRow& row) { return row.launches; }},
    {{"points", Unit::count, kSum, "",
      "Changes of the queue: +1 as a launch call begins, -1 as its activity begins."},
     [](const StreamQueueTableRow& row) { return row.queue.points; }},
    {{"queue_time_mean", Unit::none, kNoAggregate, kNoLaunches,
      "Mean length of the queue over time, from the first change to the last."},
     [](const StreamQueueTableRow& row) { return row.queue.time_mean; }},
    {{"queue_mean", Unit::none, mean_by("points"), kNoLaunches,
      "Mean length over the changes, as HTA computes it."},
     [](const StreamQueueTableRow& row) { return row.queue.mean; }},
    {{"queue_sd", Unit::none, kNoAggregate, "fewer than two changes",
      "Standard deviation over the changes (n - 1)."},
     [](const StreamQueueTableRow& row) { return row.queue.sd; }},
    {{"queue_min", Unit::none, kMin, kNoLaunches,
      "Shortest; negative if an activity began before its call."},
     [](const StreamQueueTableRow& row) { return row.length(row.queue.min); }},
    {{"queue_p25", Unit::none, kNoAggregate, kNoLaunches, "First quartile."},
     [](const StreamQueueTableRow& row) { return row.queue.p25; }},
    {{"queue_p50", Unit::none, kNoAggregate, kNoLaunches, "Median."},
     [](const StreamQueueTableRow& row) { return row.queue.p50; }},
    {{"queue_p75", Unit::none, kNoAggregate, kNoLaunches, "Third quartile."},
     [](const StreamQueueTableRow& row) { return row.queue.p75; }},
    {{"queue_max", Unit::count, kMax, kNoLaunches, "Longest."},
     [](const StreamQueueTableRow& row) { return row.length(row.queue.max); }},
    {{"full_ns", Unit::nanoseconds, kSum, "",
      "Time with a queue of 1,024 or more, when a further launch has to wait."},
     [](const StreamQueueTableRow& row) { return row.queue.full; }},
    {kProcessText, [](const StreamQueueTableRow& row) { return row.pid(); }},
});

constexpr auto kQueueColumns = columns<QueuePointTableRow>({
    {kDeviceText,
     [](const QueuePointTableRow& row) { return known(row.source.queue(row.point).device, -1); }},
    {kStream,
     [](const QueuePointTableRow& row) { return known(row.source.queue(row.point).stream, -1); }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "When it changes, from the trace's origin."},
     [](const QueuePointTableRow& row) {
         return row.source.points[row.point].time - row.source.context.trace().origin;
     }},
    {{"queue_length", Unit::none, kMax, "",
      "Activities launched that have not begun, from then to the next row of the stream; negative "
      "if an activity began before its call."},
     [](const QueuePointTableRow& row) { return row.source.points[row.point].length; }},
    {kProcessText, [](const QueuePointTableRow& row) { return row.source.queue(row.point).pid; }},
});

}  // namespace

const TableOf<StreamQueueTableRow> kLaunchesByStreamTable = {
    {"launches", "Length of each stream's queue: activities launched that have not begun.",
     "stream"},
    kStreamQueueColumns,
    [](const StreamQueueTableRow& row) {
        return RowTarget{{}, row.span.begin < row.span.end ? row.span : TimeRange{}};
    }};
const TableOf<QueuePointTableRow> kLaunchesByQueueTable = {
    {"launches", "The queue of each stream as a curve: a row for each change, as HTA has it.",
     "queue"},
    kQueueColumns,
    [](const QueuePointTableRow& row) {
        return RowTarget{{}, row.source.time(row.point)};
    }};

QueueStatistics queue_statistics(std::span<const QueuePoint> curve,
                                 std::optional<TimeRange> range) {
    QueueStatistics result;
    std::vector<Nanos> lengths;
    lengths.reserve(curve.size());
    Nanos full = 0;
    double area = 0;
    const TimeRange span = span_of(curve, range);
    for (std::size_t i = 0; i < curve.size(); ++i) {
        if (!range || range->contains(curve[i].time)) lengths.push_back(curve[i].length);
        if (i + 1 == curve.size()) break;
        const Nanos begin = std::max(curve[i].time, span.begin);
        const Nanos held = std::max<Nanos>(0, std::min(curve[i + 1].time, span.end) - begin);
        area += static_cast<double>(held) * static_cast<double>(curve[i].length);
        if (curve[i].length >= kFullQueue) full += held;
    }
    radix_sort(lengths, radix_key);
    const Distribution of_points = distribution_of(lengths);
    result.points = lengths.size();
    result.mean = of_points.mean;
    result.sd = of_points.sd;
    result.p25 = quantile(lengths, 0.25);
    result.p50 = of_points.p50;
    result.p75 = quantile(lengths, 0.75);
    result.min = of_points.min;
    result.max = of_points.max;
    result.time_mean = span.length() > 0 ? area / static_cast<double>(span.length())
                                         : std::numeric_limits<double>::quiet_NaN();
    result.full = full;
    return result;
}

Table launches_by_stream_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    TableBuilder table(kLaunchesByStreamTable);
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        for (const GpuStream& stream : device.streams) {
            const StreamCurve curve = curve_of(context, stream, query.range);
            const QueueStatistics queue = queue_statistics(curve.points, query.range);
            table.add(
                {trace, device, stream, curve.launches, queue, span_of(curve.points, query.range)});
        }
    return table.take();
}

Table launches_by_queue_table(const TraceContext& context, const TableQuery& query) {
    const auto made = std::make_shared<QueueRows>(context);
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        for (const GpuStream& stream : device.streams)
            made->add(device, stream, curve_of(context, stream, query.range).points);
    const std::shared_ptr<const QueueRows> source = made;
    std::vector<uint32_t> items;
    items.reserve(source->points.size());
    for (uint32_t i = 0; i < source->points.size(); ++i)
        if (!query.range || query.range->contains(source->points[i].time)) items.push_back(i);
    return table_on_demand(kLaunchesByQueueTable, std::move(items), [source](uint32_t i) {
        return QueuePointTableRow{*source, i};
    });
}

}  // namespace lanescope
