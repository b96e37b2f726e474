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
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/short_names.h"
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

// Launches of a stream are mostly in that order; so are a thread's launches in each stream.
void sort_by_call(Launches& list) {
    if (std::ranges::is_sorted(list.starts)) return;
    Launches sorted;
    sorted.launches.reserve(list.launches.size());
    sorted.starts.reserve(list.starts.size());
    const auto before = [&](uint32_t a, uint32_t b) { return list.starts[a] < list.starts[b]; };
    for (const uint32_t at : merged_order(list.starts.size(), before)) {
        sorted.launches.push_back(list.launches[at]);
        sorted.starts.push_back(list.starts[at]);
    }
    list = std::move(sorted);
}

// For each launch of one stream, sorted by the call's start: the number of activities launched by
// then that have not begun. An activity that begins at exactly that time counts. `begins`: on the
// GPU, sorted.
void count_queue(Launches& list, std::span<const Nanos> begins) {
    std::size_t begun = 0;
    for (std::size_t i = 0; i < list.launches.size(); ++i) {
        while (begun < begins.size() && begins[begun] <= list.starts[i].start) ++begun;
        list.launches[i].queue_depth = static_cast<int64_t>(i + 1) - static_cast<int64_t>(begun);
    }
}

Launches launches_of(const Trace& trace, std::span<const SliceRef> calls, const GpuStream& stream) {
    Launches list;
    list.launches.reserve(stream.work.size());
    list.starts.reserve(stream.work.size());
    std::vector<Nanos> begins;
    begins.reserve(stream.work.size());
    for (const GpuWork& work : stream.work) {
        const SliceRef call = calls[work.row];
        if (!call) continue;
        const auto [chunk, i] = trace.lanes[call.lane].locate(call.index);
        list.add({call, work.row, work.range.begin - chunk->end(i), 0}, chunk->start[i]);
        begins.push_back(work.range.begin);
    }
    sort_by_call(list);
    count_queue(list, begins);
    return list;
}

struct LaunchRows {
    LaunchRows(const TraceContext& whole, const TableQuery& query)
        : context(whole),
          cut(query.range ? lanescope::launches(whole, query) : std::vector<Launch>()),
          launches(query.range ? cut : context.get<AllLaunches>().rows) {}

    TraceContext context;
    std::vector<Launch> cut;  // clipped to the range, if there is one
    const std::vector<Launch>& launches;
    const Trace& trace = context.trace();
    const GpuActivities& gpu = trace.gpu_activities;
    const ShortNames& short_names = context.get<ShortNames>();
};

}  // namespace

struct LaunchTableRow {
    const LaunchRows& source;
    const Launch& launch;
    const Trace& trace = source.trace;

    SliceRef work() const { return source.gpu.slice[launch.row]; }
    uint32_t process_row() const { return trace.lanes[launch.call.lane].process; }
    std::string_view short_name() const {
        return source.short_names.of(trace, trace.name_id(work()));
    }
};

namespace {

constexpr auto kLaunchColumns = columns<LaunchTableRow>({
    {{"call", Unit::none, kDistinct, "", "The runtime or driver call."},
     [](const LaunchTableRow& row) { return row.trace.name(row.launch.call); }},
    {shown_first({"name", Unit::none, kDistinct, "", "The kernel, copy or set it launched."}),
     [](const LaunchTableRow& row) { return row.trace.name(row.work()); }},
    kShortNameColumn,
    {on_request({"correlation", Unit::none, kDistinct, "not recorded", "Id that both share."}),
     [](const LaunchTableRow& row) {
         const auto& correlation = row.source.gpu.correlation;
         return correlation.empty() ? std::nullopt : known(correlation[row.launch.row], kNoValue);
     }},
    {{"stream", Unit::none, kDistinct, "not recorded", "Id of the stream."},
     [](const LaunchTableRow& row) {
         const auto& stream = row.source.gpu.stream;
         return stream.empty() ? std::nullopt : known(stream[row.launch.row], -1);
     }},
    {shown_first({"launch_start_ns", Unit::nanoseconds, kMin, "",
                  "Begin of the call, from the trace's origin."}),
     [](const LaunchTableRow& row) { return row.trace.start(row.launch.call) - row.trace.origin; }},
    {{"launch_duration_ns", Unit::nanoseconds, kSum, "", "How long the call took."},
     [](const LaunchTableRow& row) { return row.trace.duration(row.launch.call); }},
    {{"kernel_start_ns", Unit::nanoseconds, kMin, "", "Begin on the GPU, from the trace's origin."},
     [](const LaunchTableRow& row) { return row.trace.start(row.work()) - row.trace.origin; }},
    {shown_first(
         {"latency_ns", Unit::nanoseconds, kSum, "",
          "From the end of the call to the begin on the GPU; negative when the GPU began before "
          "the "
          "call ended."}),
     [](const LaunchTableRow& row) { return row.launch.latency; }},
    {shown_first({"queue_depth", Unit::count, kMax, "",
                  "At the begin of the call: activities launched on the stream that had not begun, "
                  "including "
                  "this one."}),
     [](const LaunchTableRow& row) { return row.launch.queue_depth; }},
    {{"kernel_duration_ns", Unit::nanoseconds, kSum, "", "How long it ran on the GPU."},
     [](const LaunchTableRow& row) { return row.trace.duration(row.work()); }},
    kProcessColumn,
});

}  // namespace

const TableOf<LaunchTableRow> kLaunchesTable = {
    {"launches", "Every launch of GPU work: how long it waited, and after how many others."},
    kLaunchColumns,
    [](const LaunchTableRow& row) {
        return RowTarget{row.launch.call, {}};
    }};

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
    const auto source = std::make_shared<const LaunchRows>(context, query);
    std::vector<uint32_t> items(source->launches.size());
    std::iota(items.begin(), items.end(), 0U);
    return table_on_demand(kLaunchesTable, std::move(items), [source](uint32_t i) {
        return LaunchTableRow{*source, source->launches[i]};
    });
}

AllLaunches AllLaunches::compute(const TraceContext& context) {
    return {launches(context, {})};
}

}  // namespace lanescope
