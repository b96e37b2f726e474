#include "core/analysis/kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/work/footprints.h"
#include "core/base/flat_map.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

template <typename T>
int64_t known_or(const Column<T>& column, uint32_t row, T unknown) {
    return column.empty() || column[row] == unknown ? kNoValue : int64_t{column[row]};
}

uint32_t config_of(const Trace& trace, uint32_t row) {
    return trace.gpu_activities.config.empty() ? kNoRow : trace.gpu_activities.config[row];
}

// Groups activities by (device, name) or (device, name, configuration).
class Gathering {
  public:
    Gathering(const Trace& trace, KernelGrouping grouping)
        : total_of_process(trace.processes.size(), 0), trace_(trace), grouping_(grouping) {}

    void add(uint32_t row) {
        const SliceRef slice = trace_.gpu_activities.slice[row];
        const uint32_t process = trace_.lanes[slice.lane].process;
        const StringId name = trace_.name_id(slice);
        total_of_process[process] += trace_.duration(slice);
        const uint32_t config =
            grouping_ == KernelGrouping::config ? config_of(trace_, row) : kNoRow;
        auto [group, added] = first_.try_emplace(uint64_t{process} << 32U | name,
                                                 static_cast<uint32_t>(links_.size()));
        uint32_t at = group;
        while (!added && links_[at].config != config && links_[at].next != kNoRow)
            at = links_[at].next;
        if (!added && links_[at].config != config) {
            at = links_[at].next = static_cast<uint32_t>(links_.size());
            added = true;
        }
        if (added) {
            links_.push_back({config, kNoRow});
            groups.push_back(group_of(row, name, process));
        }
        groups[at].members.push_back(row);
    }

    std::vector<KernelRow> groups;
    std::vector<Nanos> total_of_process;

  private:
    KernelRow group_of(uint32_t row, StringId name, uint32_t process) const {
        KernelRow group;
        group.name = name;
        group.process = process;
        group.device = known_or(trace_.gpu_activities.device, row, int32_t{-1});
        if (group.device == kNoValue && trace_.processes[process].device >= 0)
            group.device = trace_.processes[process].device;
        return group;
    }

    // For each group: its configuration, and the next group of its device and name.
    struct Link {
        uint32_t config;
        uint32_t next;
    };

    const Trace& trace_;
    KernelGrouping grouping_;
    FlatMap<uint32_t> first_;
    std::vector<Link> links_;
};

// Members with the same launch configuration, and so the same footprint.
struct ConfigTime {
    uint32_t config = kNoRow;
    const Occupancy* footprint = nullptr;  // null: not known
    Nanos time = 0;
    uint64_t count = 0;
    uint64_t without_time = 0;  // members that took none
};

// In order of first occurrence. `durations`: of the members.
std::vector<ConfigTime> times_of_configs(const Trace& trace, Footprints& footprints,
                                         const KernelRow& group, std::span<const Nanos> durations) {
    std::vector<ConfigTime> times;
    std::size_t last = 0;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
        const uint32_t config = config_of(trace, group.members[i]);
        const Occupancy* const footprint = footprints.footprint_of(group.members[i]);
        const auto is_it = [&](const ConfigTime& time) {
            return time.config == config && time.footprint == footprint;
        };
        if (last == times.size() || !is_it(times[last])) {
            last = static_cast<std::size_t>(std::ranges::find_if(times, is_it) - times.begin());
            if (last == times.size()) times.push_back({config, footprint, 0, 0, 0});
        }
        times[last].time += durations[i];
        times[last].count += 1;
        times[last].without_time += durations[i] == 0 ? 1 : 0;
    }
    return times;
}

// Mean of a value of the launch configuration over the members that have it, weighted by duration
// (unweighted if all durations are 0).
template <typename Value>
double weighted_mean(const Trace& trace, std::span<const ConfigTime> times, const Value& value) {
    double sum = 0;
    double weight = 0;
    double plain = 0;
    double count = 0;
    for (const ConfigTime& time : times) {
        if (time.config == kNoRow) continue;
        const int64_t v = value(trace.launch_configs[time.config]);
        if (v < 0) continue;
        sum += static_cast<double>(time.time) * static_cast<double>(v);
        weight += static_cast<double>(time.time);
        plain += static_cast<double>(time.count) * static_cast<double>(v);
        count += static_cast<double>(time.count);
    }
    if (count == 0) return kNotKnown;
    return weight > 0 ? sum / weight : plain / count;
}

void add_launch(const Trace& trace, std::span<const ConfigTime> times, KernelRow& group) {
    std::vector<uint32_t> configs;
    for (const ConfigTime& time : times)
        if (time.config != kNoRow && std::ranges::find(configs, time.config) == configs.end())
            configs.push_back(time.config);
    group.configs = static_cast<uint32_t>(configs.size());
    if (configs.size() == 1) group.config = configs.front();
    group.registers = weighted_mean(
        trace, times, [](const LaunchConfig& c) -> int64_t { return c.registers_per_thread; });
    group.shared_bytes =
        weighted_mean(trace, times, [](const LaunchConfig& c) { return c.shared_memory_bytes; });
    group.static_shared_bytes =
        weighted_mean(trace, times, [](const LaunchConfig& c) { return c.static_shared_bytes; });
    group.dynamic_shared_bytes =
        weighted_mean(trace, times, [](const LaunchConfig& c) { return dynamic_shared_bytes(c); });
    group.kineto_occupancy_percent = weighted_mean(
        trace, times, [](const LaunchConfig& c) -> int64_t { return c.kineto_occupancy_percent; });
}

// Means over the members with a known footprint, weighted by duration.
void add_footprint(std::span<const ConfigTime> times, KernelRow& group) {
    constexpr double of_no_time = 1e-3;  // weight of a zero duration: almost nothing
    double weight = 0;
    double occupancy = 0;
    double waves = 0;
    const Occupancy* first = nullptr;
    bool mixed = false;
    for (const ConfigTime& time : times) {
        const Occupancy* const known = time.footprint;
        if (!known) continue;
        const double d =
            static_cast<double>(time.time) + of_no_time * static_cast<double>(time.without_time);
        weight += d;
        occupancy += d * known->theoretical;
        waves += d * known->waves;
        if (!first) first = known;
        mixed = mixed || first->limiters != known->limiters;
    }
    group.occupancy = weight > 0 ? occupancy / weight : kNotKnown;
    group.waves = weight > 0 ? waves / weight : kNotKnown;
    if (first) group.limiter = mixed ? "mixed" : limiter_text(*first);
}

struct OperatorTime {
    StringId name;
    Nanos time;
    SliceRef first;
};

void add_operator(const Trace& trace, const Attribution& attribution, KernelRow& group,
                  std::span<const Nanos> durations) {
    std::vector<OperatorTime> times;
    std::size_t last = 0;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
        const SliceRef op = attribution.op[group.members[i]];
        if (!op) continue;
        const StringId name = trace.name_id(op);
        if (last == times.size() || times[last].name != name) {
            last = static_cast<std::size_t>(std::ranges::find(times, name, &OperatorTime::name) -
                                            times.begin());
            if (last == times.size()) times.push_back({name, 0, op});
        }
        times[last].time += durations[i];
    }
    group.operators = static_cast<uint32_t>(times.size());
    const auto longest = std::ranges::max_element(times, {}, &OperatorTime::time);
    if (longest != times.end()) group.op = longest->first;
}

void add_stream(const Trace& trace, KernelRow& group) {
    const auto stream_of = [&](uint32_t row) {
        return known_or(trace.gpu_activities.stream, row, int32_t{-1});
    };
    group.stream = stream_of(group.members.front());
    for (const uint32_t row : group.members)
        if (stream_of(row) != group.stream) group.stream = kNoValue;
}

// Sorts the members by time, and returns their durations.
std::vector<Nanos> add_times(const Trace& trace, KernelRow& group, Nanos device_total) {
    const GpuActivities& gpu = trace.gpu_activities;
    const auto start_of = [&](uint32_t row) { return trace.start(gpu.slice[row]); };
    if (!std::ranges::is_sorted(group.members, {}, start_of))
        std::ranges::stable_sort(group.members, {}, start_of);
    std::vector<Nanos> durations;
    durations.reserve(group.members.size());
    Nanos longest_duration = -1;
    for (const uint32_t row : group.members) {
        const Nanos d = trace.duration(gpu.slice[row]);
        if (d > longest_duration) group.longest = gpu.slice[row];
        longest_duration = std::max(longest_duration, d);
        durations.push_back(d);
    }
    std::vector<Nanos> sorted = durations;
    radix_sort(sorted, radix_key);
    group.durations = distribution_of(sorted);
    group.warm_up = warm_up_count(durations, group.durations.outlier_limit);
    group.drift = drift(std::span<const Nanos>(durations).subspan(group.warm_up));
    group.share = device_total > 0 ? static_cast<double>(group.durations.total) /
                                         static_cast<double>(device_total)
                                   : kNotKnown;
    return durations;
}

}  // namespace

std::vector<KernelRow> kernel_rows(const TraceContext& context, const TableQuery& query,
                                   KernelGrouping grouping) {
    const Trace& trace = context.trace();
    const Attribution& attribution = context.get<Attribution>();
    Footprints footprints(trace);
    Gathering all(trace, grouping);
    const Column<SliceRef>& slices = trace.gpu_activities.slice;
    for (uint32_t row = 0; row < slices.size(); ++row)
        if (query.has_work(row, trace.start(slices[row]))) all.add(row);
    for (KernelRow& group : all.groups) {
        const std::vector<Nanos> durations =
            add_times(trace, group, all.total_of_process[group.process]);
        const std::vector<ConfigTime> times = times_of_configs(trace, footprints, group, durations);
        add_launch(trace, times, group);
        add_footprint(times, group);
        add_operator(trace, attribution, group, durations);
        add_stream(trace, group);
    }
    std::ranges::stable_sort(all.groups, std::greater(),
                             [](const KernelRow& row) { return row.durations.total; });
    return std::move(all.groups);
}

AllKernels AllKernels::compute(const TraceContext& context) {
    return {kernel_rows(context, {}, KernelGrouping::name)};
}

}  // namespace lanescope
