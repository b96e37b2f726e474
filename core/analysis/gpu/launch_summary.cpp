#include "core/analysis/gpu/launch_summary.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/analysis/gpu/launches.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

constexpr std::array kColumns = {
    ColumnSpec{"call", ValueType::text, Unit::none, "all calls together",
               "The runtime or driver call."},
    ColumnSpec{"launches", ValueType::integer, Unit::count, "",
               "Activities that the call launched."},
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

    // The summary of each call, then that of all.
    std::vector<LaunchSummary> take() {
        Sample all;
        for (const Sample& of : samples_) {
            all.summary.negative += of.summary.negative;
            all.summary.late += of.summary.late;
            all.summary.long_calls += of.summary.long_calls;
            all.summary.short_kernels += of.summary.short_kernels;
            if (all.latest != kNoRow &&
                std::pair(-all.longest, all.latest) < std::pair(-of.longest, of.latest))
                continue;
            all.longest = of.longest;
            all.latest = of.latest;
            all.summary.latest = of.summary.latest;
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
    void spread(std::vector<Value>& values, Distribution LaunchSummary::*of) {
        radix_sort(values, [](const Value& value) { return radix_key(value.value); });
        std::vector<std::vector<Nanos>> sorted(samples_.size());
        sorted.back().reserve(values.size());
        for (const Value& value : values) {
            sorted[value.sample].push_back(value.value);
            sorted.back().push_back(value.value);
        }
        for (std::size_t i = 0; i < samples_.size(); ++i)
            samples_[i].summary.*of = distribution_of(sorted[i]);
    }

    const Trace& trace_;
    std::vector<uint32_t> of_name_;  // kNoRow: no launch yet
    std::vector<Sample> samples_;
    std::vector<Value> latencies_;
    std::vector<Value> durations_;
};

}  // namespace

const TableSpec kLaunchesBySummaryTable = {
    "launches", "How launch latency and the time of launch calls are spread, by kind of call.",
    kColumns, "summary"};

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
