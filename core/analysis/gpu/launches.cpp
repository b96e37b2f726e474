#include "core/analysis/gpu/launches.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/longest_first.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

struct CallStart {
    Nanos start;
    SliceRef call;
    uint32_t row;  // of Trace::gpu_activities
    auto operator<=>(const CallStart&) const = default;
};

// Launches, and when their calls start.
struct Launches {
    std::vector<Launch> launches;
    std::vector<CallStart> starts;

    void add(const Launch& launch, Nanos start) {
        launches.push_back(launch);
        starts.push_back({start, launch.call, launch.row});
    }
};

// Launches of a stream are mostly in that order; so are those of a thread in each stream.
void sort_by_call(Launches& of) {
    if (std::ranges::is_sorted(of.starts)) return;
    Launches sorted;
    sorted.launches.reserve(of.launches.size());
    sorted.starts.reserve(of.starts.size());
    const auto before = [&](uint32_t a, uint32_t b) { return of.starts[a] < of.starts[b]; };
    for (const uint32_t at : merged_order(of.starts.size(), before)) {
        sorted.launches.push_back(of.launches[at]);
        sorted.starts.push_back(of.starts[at]);
    }
    of = std::move(sorted);
}

// For each launch of one stream, sorted by the call's start: the number of activities launched by
// then that have not begun. An activity that begins at exactly that time counts. `begins`: on the
// GPU, sorted.
void count_queue(Launches& of, std::span<const Nanos> begins) {
    std::size_t begun = 0;
    for (std::size_t i = 0; i < of.launches.size(); ++i) {
        while (begun < begins.size() && begins[begun] <= of.starts[i].start) ++begun;
        of.launches[i].queue_depth = static_cast<int64_t>(i + 1) - static_cast<int64_t>(begun);
    }
}

Launches launches_of(const Trace& trace, std::span<const SliceRef> calls, const GpuStream& stream) {
    Launches of;
    of.launches.reserve(stream.work.size());
    of.starts.reserve(stream.work.size());
    std::vector<Nanos> begins;
    begins.reserve(stream.work.size());
    for (const GpuWork& work : stream.work) {
        const SliceRef call = calls[work.row];
        if (!call) continue;
        const auto [chunk, i] = trace.lanes[call.lane].locate(call.index);
        of.add({call, work.row, work.range.begin - chunk->end(i), 0}, chunk->start[i]);
        begins.push_back(work.range.begin);
    }
    sort_by_call(of);
    count_queue(of, begins);
    return of;
}

constexpr std::array kColumns = {
    ColumnSpec{"call", ValueType::text, Unit::none, "", "The runtime or driver call."},
    ColumnSpec{"name", ValueType::text, Unit::none, "", "The kernel, copy or set it launched."},
    ColumnSpec{"correlation", ValueType::integer, Unit::none, "not recorded",
               "Id that both share."},
    ColumnSpec{"stream", ValueType::integer, Unit::none, "not recorded", "Id of the stream."},
    ColumnSpec{"launch_start_ns", ValueType::integer, Unit::nanoseconds, "",
               "Begin of the call, from the trace's origin."},
    ColumnSpec{"launch_duration_ns", ValueType::integer, Unit::nanoseconds, "",
               "How long the call took."},
    ColumnSpec{"kernel_start_ns", ValueType::integer, Unit::nanoseconds, "",
               "Begin on the GPU, from the trace's origin."},
    ColumnSpec{"latency_ns", ValueType::integer, Unit::nanoseconds, "",
               "From the end of the call to the begin on the GPU; negative when the GPU began "
               "before the call ended."},
    ColumnSpec{"queue_depth", ValueType::integer, Unit::count, "",
               "At the begin of the call: activities launched on the stream that had not begun, "
               "including this one."},
    ColumnSpec{"kernel_duration_ns", ValueType::integer, Unit::nanoseconds, "",
               "How long it ran on the GPU."},
};

// What the table's rows are computed from.
struct LaunchRows {
    LaunchRows(const TraceContext& of, const TableQuery& query)
        : context(of),
          cut(query.range ? lanescope::launches(of, query) : std::vector<Launch>()),
          launches(query.range ? cut : context.get<AllLaunches>().rows) {}

    SliceRef call(uint32_t i) const { return launches[i].call; }
    uint32_t row(uint32_t i) const { return launches[i].row; }
    SliceRef work(uint32_t i) const { return gpu.slice[row(i)]; }

    TraceContext context;
    std::vector<Launch> cut;  // clipped to the range, if there is one
    const std::vector<Launch>& launches;
    const Trace& trace = context.trace();
    const GpuActivities& gpu = trace.gpu_activities;
};

}  // namespace

const TableSpec kLaunchesTable = {
    "launches", "Every launch of GPU work: how long it waited, and after how many others.",
    kColumns};

std::vector<Launch> launches(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const std::vector<SliceRef>& calls = context.get<Attribution>().launch;
    Launches all;
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        for (const GpuStream& stream : device.streams) {
            const Launches more = launches_of(trace, calls, stream);
            all.launches.insert(all.launches.end(), more.launches.begin(), more.launches.end());
            all.starts.insert(all.starts.end(), more.starts.begin(), more.starts.end());
        }
    sort_by_call(all);
    if (query.range)
        std::erase_if(all.launches, [&](const Launch& launch) {
            return !query.range->contains(trace.start(launch.call));
        });
    return std::move(all.launches);
}

Table launches_table(const TraceContext& context, const TableQuery& query) {
    const auto of = std::make_shared<const LaunchRows>(context, query);
    std::vector<uint32_t> items(of->launches.size());
    std::iota(items.begin(), items.end(), 0U);
    return Table(
        kLaunchesTable,
        {std::move(items),
         {[of](uint32_t i) { return of->trace.name(of->call(i)); },
          [of](uint32_t i) { return of->trace.name(of->work(i)); },
          [of](uint32_t i) {
              return of->gpu.correlation.empty() ? Cell()
                                                 : known(of->gpu.correlation[of->row(i)], kNoValue);
          },
          [of](uint32_t i) {
              return of->gpu.stream.empty() ? Cell() : known(of->gpu.stream[of->row(i)], -1);
          },
          [of](uint32_t i) { return of->trace.start(of->call(i)) - of->trace.origin; },
          [of](uint32_t i) { return of->trace.duration(of->call(i)); },
          [of](uint32_t i) { return of->trace.start(of->work(i)) - of->trace.origin; },
          [of](uint32_t i) { return of->launches[i].latency; },
          [of](uint32_t i) { return of->launches[i].queue_depth; },
          [of](uint32_t i) { return of->trace.duration(of->work(i)); }},
         [of](uint32_t i) {
             return RowTarget{of->call(i), {}};
         }});
}

AllLaunches AllLaunches::compute(const TraceContext& context) {
    return {launches(context, {})};
}

}  // namespace lanescope
