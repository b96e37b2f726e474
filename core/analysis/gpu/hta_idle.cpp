#include "core/analysis/gpu/hta_idle.h"

#include <algorithm>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"

namespace lanescope {

namespace {

constexpr std::array kColumns = {
    ColumnSpec{"device", ValueType::integer, Unit::none, "the file does not say",
               "Ordinal of the GPU."},
    ColumnSpec{"stream", ValueType::integer, Unit::none, "not recorded", "Id of the stream."},
    ColumnSpec{"idle_category", ValueType::text, Unit::none, "",
               "host_wait: the launch began after the previous activity had ended. kernel_wait: "
               "otherwise, if the gap is shorter than 30 µs. other: all other gaps."},
    ColumnSpec{"gaps", ValueType::integer, Unit::count, "",
               "From the end of an activity to the start of the next, overlaps too."},
    ColumnSpec{"idle_time_ns", ValueType::integer, Unit::nanoseconds, "",
               "Their sum; overlaps count as negative gaps."},
    ColumnSpec{"idle_time_ratio", ValueType::real, Unit::ratio, "the stream's sum is 0",
               "Of the stream's sum."},
    ColumnSpec{"pid", ValueType::text, Unit::none, "",
               "Id of the device's rows, as the file writes it."},
};

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

const TableSpec kGapsByHtaTable = {
    "gaps", "Idle time of each stream as HTA sorts it: overlaps are negative gaps.", kColumns,
    "hta"};

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
    Table table(kGapsByHtaTable);
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        for (const GpuStream& stream : device.streams) {
            const auto times = hta_idle_times(activities_of(context, stream), query.range);
            Nanos sum = 0;
            for (const HtaIdleTime& time : times) sum += time.total;
            for (std::size_t i = 0; i < times.size(); ++i)
                table.add_row({device.device < 0 ? Cell() : Cell(int64_t{device.device}),
                               stream.stream < 0 ? Cell() : Cell(int64_t{stream.stream}),
                               hta_idle_name(static_cast<HtaIdle>(i)),
                               static_cast<int64_t>(times[i].gaps), times[i].total,
                               sum == 0 ? Cell()
                                        : Cell(static_cast<double>(times[i].total) /
                                               static_cast<double>(sum)),
                               trace.strings[trace.processes[device.process].pid]},
                              {{}, query.range.value_or(span_of(stream.work))});
        }
    return table;
}

}  // namespace lanescope
