#include "core/analysis/launch_summary.h"

#include <algorithm>
#include <array>

#include "core/analysis/launches.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

constexpr std::array kColumns = {
    ColumnSpec{"call", ValueType::text, Unit::none, "all of them together",
               "The runtime or driver call."},
    ColumnSpec{"launches", ValueType::integer, Unit::count, "", "Activities that it launched."},
    ColumnSpec{"latency_mean_ns", ValueType::real, Unit::nanoseconds, "",
               "Mean latency: from the end of the call to the begin on the GPU, negative ones as "
               "they are."},
    ColumnSpec{"latency_p50_ns", ValueType::real, Unit::nanoseconds, "", "Median latency."},
    ColumnSpec{"latency_p90_ns", ValueType::real, Unit::nanoseconds, "",
               "90 % of the latencies are at most as long."},
    ColumnSpec{"latency_p99_ns", ValueType::real, Unit::nanoseconds, "",
               "99 % of the latencies are at most as long."},
    ColumnSpec{"latency_max_ns", ValueType::integer, Unit::nanoseconds, "", "Longest latency."},
    ColumnSpec{"negative", ValueType::integer, Unit::count, "",
               "Activities that began before their call ended."},
    ColumnSpec{"late", ValueType::integer, Unit::count, "",
               "Latencies over 100 µs (HTA's launch delay outliers)."},
    ColumnSpec{"calls", ValueType::integer, Unit::count, "",
               "Calls; one of a CUDA graph launches many activities."},
    ColumnSpec{"duration_mean_ns", ValueType::real, Unit::nanoseconds, "",
               "Mean time that a call took."},
    ColumnSpec{"duration_p50_ns", ValueType::real, Unit::nanoseconds, "", "Median of that."},
    ColumnSpec{"duration_p90_ns", ValueType::real, Unit::nanoseconds, "",
               "90 % of the calls took at most as long."},
    ColumnSpec{"duration_p99_ns", ValueType::real, Unit::nanoseconds, "",
               "99 % of the calls took at most as long."},
    ColumnSpec{"duration_max_ns", ValueType::integer, Unit::nanoseconds, "", "The longest call."},
    ColumnSpec{"long_calls", ValueType::integer, Unit::count, "",
               "Activities whose call took over 50 µs (HTA's runtime outliers)."},
    ColumnSpec{"short_kernels", ValueType::integer, Unit::count, "",
               "Activities shorter than their call, of calls up to 50 µs (HTA's short kernels): "
               "the host cannot keep up with them."},
};

struct Sample {
    std::vector<Nanos> latencies;
    std::vector<Nanos> durations;
    Nanos longest = 0;
    SliceRef last_call;
    LaunchSummary summary;

    void add(const Trace& trace, const Launch& launch) {
        const Nanos call = trace.duration(launch.call);
        const Nanos work = trace.duration(trace.gpu_activities.slice[launch.row]);
        if (latencies.empty() || launch.latency > longest) {
            longest = launch.latency;
            summary.latest = launch.call;
        }
        latencies.push_back(launch.latency);
        summary.negative += launch.latency < 0 ? 1 : 0;
        summary.late += launch.latency > kLongLaunchLatency ? 1 : 0;
        summary.long_calls += call > kLongLaunchCall ? 1 : 0;
        summary.short_kernels += call <= kLongLaunchCall && work < call ? 1 : 0;
        // Launches of one call follow each other.
        if (launch.call != last_call) durations.push_back(call);
        last_call = launch.call;
    }

    LaunchSummary finish() {
        radix_sort(latencies, radix_key);
        radix_sort(durations, radix_key);
        summary.latency = distribution_of(latencies);
        summary.duration = distribution_of(durations);
        return summary;
    }
};

}  // namespace

const TableSpec kLaunchesBySummaryTable = {
    "launches", "How launch latency and the time of launch calls are spread, by kind of call.",
    kColumns, "summary"};

std::vector<LaunchSummary> launch_summaries(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    Sample all;
    std::vector<uint32_t> sample_of(trace.strings.size(), kNoRow);
    std::vector<Sample> samples;
    const std::vector<Launch> cut = query.range ? launches(context, query) : std::vector<Launch>();
    for (const Launch& launch : query.range ? cut : context.launches()) {
        const StringId call = trace.name_id(launch.call);
        if (sample_of[call] == kNoRow) {
            sample_of[call] = static_cast<uint32_t>(samples.size());
            samples.emplace_back().summary.call = call;
        }
        all.add(trace, launch);
        samples[sample_of[call]].add(trace, launch);
    }
    std::vector<LaunchSummary> summaries;
    if (samples.empty()) return summaries;
    for (Sample& sample : samples) summaries.push_back(sample.finish());
    std::ranges::stable_sort(summaries, std::greater(),
                             [](const LaunchSummary& s) { return s.latency.count; });
    summaries.insert(summaries.begin(), all.finish());
    return summaries;
}

Table launches_by_summary_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const auto count = [](uint64_t value) { return Cell(static_cast<int64_t>(value)); };
    Table table(kLaunchesBySummaryTable);
    for (const LaunchSummary& s : launch_summaries(context, query))
        table.add_row({s.call == StringPool::none ? Cell() : Cell(trace.strings[s.call]),
                       count(s.latency.count), s.latency.mean, s.latency.p50, s.latency.p90,
                       s.latency.p99, s.latency.max, count(s.negative), count(s.late),
                       count(s.duration.count), s.duration.mean, s.duration.p50, s.duration.p90,
                       s.duration.p99, s.duration.max, count(s.long_calls), count(s.short_kernels)},
                      {s.latest, {}});
    return table;
}

}  // namespace lanescope
