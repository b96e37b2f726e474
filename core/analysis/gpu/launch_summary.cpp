#include "core/analysis/gpu/launch_summary.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/analysis/gpu/launches.h"
#include "core/base/radix_sort.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

struct Sample {
    LaunchSummary summary;
    Nanos longest = 0;
    uint32_t latest = kNoRow;  // the launch with the longest latency, the first among equals
    SliceRef last_call;
};

struct Value {
    Nanos value;
    uint32_t sample;
};

// The values of launches, by call.
class Samples {
  public:
    explicit Samples(const Trace& trace) : trace_(trace), of_name_(trace.strings.size(), kNoRow) {}

    void add(std::span<const Launch> launches) {
        latencies_.reserve(launches.size());
        durations_.reserve(launches.size());
        for (uint32_t place = 0; place < launches.size(); ++place) add(launches[place], place);
    }

    // The summary of each call, then the summary of all calls.
    std::vector<LaunchSummary> take() {
        Sample all;
        for (const Sample& sample : samples_) {
            all.summary.negative += sample.summary.negative;
            all.summary.late += sample.summary.late;
            all.summary.long_calls += sample.summary.long_calls;
            all.summary.short_kernels += sample.summary.short_kernels;
            if (all.latest != kNoRow &&
                std::pair(-all.longest, all.latest) < std::pair(-sample.longest, sample.latest))
                continue;
            all.longest = sample.longest;
            all.latest = sample.latest;
            all.summary.latest = sample.summary.latest;
        }
        samples_.push_back(all);
        spread(latencies_, &LaunchSummary::latency);
        spread(durations_, &LaunchSummary::duration);
        std::vector<LaunchSummary> summaries;
        summaries.reserve(samples_.size());
        for (const Sample& sample : samples_) summaries.push_back(sample.summary);
        return summaries;
    }

  private:
    void add(const Launch& launch, uint32_t place) {
        const auto [chunk, i] = trace_.lanes[launch.call.lane].locate(launch.call.index);
        const Nanos call = chunk->duration[i];
        const Nanos work = trace_.duration(trace_.gpu_activities.slice[launch.row]);
        uint32_t& at = of_name_[chunk->name[i]];
        if (at == kNoRow) {
            at = static_cast<uint32_t>(samples_.size());
            samples_.emplace_back().summary.call = chunk->name[i];
        }
        Sample& sample = samples_[at];
        LaunchSummary& summary = sample.summary;
        if (sample.latest == kNoRow || launch.latency > sample.longest) {
            sample.longest = launch.latency;
            sample.latest = place;
            summary.latest = launch.call;
        }
        latencies_.push_back({launch.latency, at});
        summary.negative += launch.latency < 0 ? 1 : 0;
        summary.late += launch.latency > kLongLaunchLatency ? 1 : 0;
        summary.long_calls += call > kLongLaunchCall ? 1 : 0;
        summary.short_kernels += call <= kLongLaunchCall && work < call ? 1 : 0;
        // Launches of one call are consecutive.
        if (launch.call != sample.last_call) durations_.push_back({call, at});
        sample.last_call = launch.call;
    }

    // Sorts all values once: the values of each call are then in order too.
    void spread(std::vector<Value>& values, Distribution LaunchSummary::*member) {
        radix_sort(values, [](const Value& value) { return radix_key(value.value); });
        std::vector<std::vector<Nanos>> sorted(samples_.size());
        sorted.back().reserve(values.size());
        for (const Value& value : values) {
            sorted[value.sample].push_back(value.value);
            sorted.back().push_back(value.value);
        }
        for (std::size_t i = 0; i < samples_.size(); ++i)
            samples_[i].summary.*member = distribution_of(sorted[i]);
    }

    const Trace& trace_;
    std::vector<uint32_t> of_name_;  // kNoRow: no launch yet
    std::vector<Sample> samples_;
    std::vector<Value> latencies_;
    std::vector<Value> durations_;
};

}  // namespace

struct LaunchSummaryTableRow {
    const Trace& trace;
    const LaunchSummary& summary;
};

namespace {

constexpr auto kLaunchSummaryColumns = columns<LaunchSummaryTableRow>({
    {{"call", Unit::none, kDistinct, "all calls together", "The runtime or driver call."},
     [](const LaunchSummaryTableRow& row) {
         return row.summary.call == StringPool::none
                    ? std::nullopt
                    : std::optional(row.trace.strings[row.summary.call]);
     }},
    {{"launches", Unit::count, kSum, "", "Activities that the call launched."},
     [](const LaunchSummaryTableRow& row) { return row.summary.latency.count; }},
    {{"latency_mean_ns", Unit::nanoseconds, mean_by("launches"), "",
      "Mean latency: from the end of the call to the begin on the GPU; may be negative."},
     [](const LaunchSummaryTableRow& row) { return row.summary.latency.mean; }},
    {{"latency_p50_ns", Unit::nanoseconds, kNoAggregate, "", "Median latency."},
     [](const LaunchSummaryTableRow& row) { return row.summary.latency.p50; }},
    {{"latency_p90_ns", Unit::nanoseconds, kNoAggregate, "",
      "90 % of the latencies are at most as long."},
     [](const LaunchSummaryTableRow& row) { return row.summary.latency.p90; }},
    {{"latency_p99_ns", Unit::nanoseconds, kNoAggregate, "",
      "99 % of the latencies are at most as long."},
     [](const LaunchSummaryTableRow& row) { return row.summary.latency.p99; }},
    {{"latency_max_ns", Unit::nanoseconds, kMax, "", "Longest latency."},
     [](const LaunchSummaryTableRow& row) { return row.summary.latency.max; }},
    {{"negative", Unit::count, kSum, "", "Activities that began before their call ended."},
     [](const LaunchSummaryTableRow& row) { return row.summary.negative; }},
    {{"late", Unit::count, kSum, "", "Latencies over 100 µs (HTA's launch delay outliers)."},
     [](const LaunchSummaryTableRow& row) { return row.summary.late; }},
    {{"calls", Unit::count, kSum, "", "Calls; one of a CUDA graph launches many activities."},
     [](const LaunchSummaryTableRow& row) { return row.summary.duration.count; }},
    {{"duration_mean_ns", Unit::nanoseconds, mean_by("calls"), "", "Mean time that a call took."},
     [](const LaunchSummaryTableRow& row) { return row.summary.duration.mean; }},
    {{"duration_p50_ns", Unit::nanoseconds, kNoAggregate, "", "Median time that a call took."},
     [](const LaunchSummaryTableRow& row) { return row.summary.duration.p50; }},
    {{"duration_p90_ns", Unit::nanoseconds, kNoAggregate, "",
      "90 % of the calls took at most as long."},
     [](const LaunchSummaryTableRow& row) { return row.summary.duration.p90; }},
    {{"duration_p99_ns", Unit::nanoseconds, kNoAggregate, "",
      "99 % of the calls took at most as long."},
     [](const LaunchSummaryTableRow& row) { return row.summary.duration.p99; }},
    {{"duration_max_ns", Unit::nanoseconds, kMax, "", "The longest call."},
     [](const LaunchSummaryTableRow& row) { return row.summary.duration.max; }},
    {{"long_calls", Unit::count, kSum, "",
      "Activities whose call took over 50 µs (HTA's runtime outliers)."},
     [](const LaunchSummaryTableRow& row) { return row.summary.long_calls; }},
    {{"short_kernels", Unit::count, kSum, "",
      "Activities shorter than their call, of calls up to 50 µs (HTA's short kernels): the host "
      "cannot keep up with them."},
     [](const LaunchSummaryTableRow& row) { return row.summary.short_kernels; }},
});

}  // namespace

const TableOf<LaunchSummaryTableRow> kLaunchesBySummaryTable = {
    {"launches", "How launch latency and the time of launch calls are spread, by kind of call.",
     "summary"},
    kLaunchSummaryColumns,
    [](const LaunchSummaryTableRow& row) {
        return RowTarget{row.summary.latest, {}};
    }};

std::vector<LaunchSummary> launch_summaries(const TraceContext& context, const TableQuery& query) {
    Samples samples(context.trace());
    if (query.range)
        samples.add(launches(context, query));
    else
        samples.add(context.get<AllLaunches>().rows);
    std::vector<LaunchSummary> summaries = samples.take();
    if (summaries.size() == 1) return {};
    std::rotate(summaries.begin(), summaries.end() - 1, summaries.end());
    std::stable_sort(summaries.begin() + 1, summaries.end(),
                     [](const LaunchSummary& a, const LaunchSummary& b) {
                         return a.latency.count > b.latency.count;
                     });
    return summaries;
}

Table launches_by_summary_table(const TraceContext& context, const TableQuery& query) {
    TableBuilder table(kLaunchesBySummaryTable);
    for (const LaunchSummary& summary : launch_summaries(context, query))
        table.add({context.trace(), summary});
    return table.take();
}

}  // namespace lanescope
