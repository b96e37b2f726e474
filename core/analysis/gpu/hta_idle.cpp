#include "core/analysis/gpu/hta_idle.h"

#include <algorithm>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

std::vector<HtaActivity> activities_of(const TraceContext& context, const GpuStream& stream) {
    std::vector<HtaActivity> activities;
    const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
    for (const GpuWork& work : stream.work) {
        const SliceRef call = launch_of[work.row];
        activities.push_back(
            {work.range, call ? std::optional(context.trace().start(call)) : std::nullopt});
    }
    return activities;
}

}  // namespace

struct HtaIdleTableRow {
    const Trace& trace;
    const GpuDevice& device;
    const GpuStream& stream;
    HtaIdle idle;
    HtaIdleTime time;
    Nanos sum = 0;  // of the stream
    TimeRange range;
};

namespace {

constexpr auto kHtaIdleColumns = columns<HtaIdleTableRow>({
    {{"device", Unit::none, kDistinct, "the file does not say", "Ordinal of the GPU."},
     [](const HtaIdleTableRow& row) { return known(row.device.device, -1); }},
    {{"stream", Unit::none, kDistinct, "not recorded", "Id of the stream."},
     [](const HtaIdleTableRow& row) { return known(row.stream.stream, -1); }},
    {{"idle_category", Unit::none, kDistinct, "",
      "host_wait: the launch began after the previous activity had ended. kernel_wait: otherwise, "
      "if the gap is shorter than 30 µs. other: all other gaps."},
     [](const HtaIdleTableRow& row) { return hta_idle_name(row.idle); }},
    {{"gaps", Unit::count, kSum, "",
      "Number of gaps from an activity's end to the next one's start, including overlaps."},
     [](const HtaIdleTableRow& row) { return row.time.gaps; }},
    {{"idle_time_ns", Unit::nanoseconds, kSum, "", "Their sum; overlaps count as negative gaps."},
     [](const HtaIdleTableRow& row) { return row.time.total; }},
    {{"idle_time_ratio", Unit::ratio, kNoAggregate, "the stream's sum is 0",
      "Fraction of the stream's sum."},
     [](const HtaIdleTableRow& row) {
         return row.sum == 0 ? std::nullopt
                             : std::optional(static_cast<double>(row.time.total) /
                                             static_cast<double>(row.sum));
     }},
    {{"pid", Unit::none, kDistinct, "", "Id of the device's rows, as the file writes it."},
     [](const HtaIdleTableRow& row) {
         return row.trace.strings[row.trace.processes[row.device.process].pid];
     }},
});

}  // namespace

const TableOf<HtaIdleTableRow> kGapsByHtaTable = {
    {"gaps", "Idle time of each stream as HTA sorts it: overlaps are negative gaps.", "hta"},
    kHtaIdleColumns,
    [](const HtaIdleTableRow& row) {
        return RowTarget{{}, row.range};
    }};

std::string_view hta_idle_name(HtaIdle idle) {
    constexpr std::array<std::string_view, kHtaIdleCount> names = {"host_wait", "kernel_wait",
                                                                   "other"};
    return names[static_cast<std::size_t>(idle)];
}

std::array<HtaIdleTime, kHtaIdleCount> hta_idle_times(std::span<const HtaActivity> activities,
                                                      std::optional<TimeRange> range) {
    std::array<HtaIdleTime, kHtaIdleCount> times;
    for (std::size_t i = 1; i < activities.size(); ++i) {
        const HtaActivity& next = activities[i];
        if (range && !range->contains(next.range.begin)) continue;
        const Nanos ended = activities[i - 1].range.end;
        const Nanos gap = next.range.begin - ended;
        const HtaIdle idle = next.launch && *next.launch > ended ? HtaIdle::host_wait
                             : gap < kHtaKernelDelay             ? HtaIdle::kernel_wait
                                                                 : HtaIdle::other;
        HtaIdleTime& time = times[static_cast<std::size_t>(idle)];
        ++time.gaps;
        time.total += gap;
    }
    return times;
}

Table gaps_by_hta_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    TableBuilder table(kGapsByHtaTable);
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        for (const GpuStream& stream : device.streams) {
            const auto times = hta_idle_times(activities_of(context, stream), query.device_range());
            const TimeRange range = query.device_range().value_or(span_of(stream.work));
            Nanos sum = 0;
            for (const HtaIdleTime& time : times) sum += time.total;
            for (std::size_t i = 0; i < times.size(); ++i)
                table.add({trace, device, stream, static_cast<HtaIdle>(i), times[i], sum, range});
        }
    return table.take();
}

}  // namespace lanescope
