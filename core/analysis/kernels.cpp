#include "core/analysis/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/analysis/footprints.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

template <typename T>
int64_t known_or(const Column<T>& column, uint32_t row, T unknown) {
    return column.empty() || column[row] == unknown ? kNoValue : int64_t{column[row]};
}

// Rows of one group with what is added up while they are gathered.
struct Gathering {
    const Trace& trace;
    std::vector<KernelRow> groups;
    std::vector<Nanos> total_of_process;
};

uint32_t config_of(const Trace& trace, uint32_t row) {
    return trace.gpu_activities.config.empty() ? kNoRow : trace.gpu_activities.config[row];
}

// Splits activities of the range by (device, name) or (device, name, configuration).
Gathering gather(const Trace& trace, const TableQuery& query, KernelGrouping grouping) {
    Gathering all{trace, {}, std::vector<Nanos>(trace.processes.size(), 0)};
    const GpuActivities& gpu = trace.gpu_activities;
    // By device and name; the groups of one are chained by configuration.
    std::unordered_map<uint64_t, std::vector<std::pair<uint32_t, uint32_t>>> found;
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const SliceRef slice = gpu.slice[row];
        if (query.range && !query.range->contains(trace.start(slice))) continue;
        const uint32_t process = trace.lanes[slice.lane].process;
        const StringId name = trace.name_id(slice);
        all.total_of_process[process] += trace.duration(slice);
        auto& chain = found[uint64_t{process} << 32U | name];
        const uint32_t config = grouping == KernelGrouping::config ? config_of(trace, row) : kNoRow;
        const auto at = std::find_if(chain.begin(), chain.end(),
                                     [&](const auto& link) { return link.first == config; });
        uint32_t group = at == chain.end() ? 0 : at->second;
        if (at == chain.end()) {
            group = static_cast<uint32_t>(all.groups.size());
            chain.emplace_back(config, group);
            KernelRow& made = all.groups.emplace_back();
            made.name = name;
            made.process = process;
            made.device = known_or(gpu.device, row, int32_t{-1});
            if (made.device == kNoValue && trace.processes[process].device >= 0)
                made.device = trace.processes[process].device;
        }
        all.groups[group].members.push_back(row);
    }
    return all;
}

// Mean of a value of the launch configuration over the members that have it, by their duration
// (by their number where none took any time).
template <typename Value>
double weighted_mean(const Trace& trace, const KernelRow& group, const Value& value) {
    double sum = 0;
    double weight = 0;
    double plain = 0;
    double count = 0;
    for (const uint32_t row : group.members) {
        const uint32_t config = config_of(trace, row);
        if (config == kNoRow) continue;
        const int64_t v = value(trace.launch_configs[config]);
        if (v < 0) continue;
        const auto d = static_cast<double>(trace.duration(trace.gpu_activities.slice[row]));
        sum += d * static_cast<double>(v);
        weight += d;
        plain += static_cast<double>(v);
        count += 1;
    }
    if (count == 0) return kNotKnown;
    return weight > 0 ? sum / weight : plain / count;
}

void add_launch(const Trace& trace, KernelRow& group) {
    std::vector<uint32_t> configs;
    for (const uint32_t row : group.members) {
        const uint32_t config = config_of(trace, row);
        if (config != kNoRow && std::find(configs.begin(), configs.end(), config) == configs.end())
            configs.push_back(config);
    }
    group.configs = static_cast<uint32_t>(configs.size());
    if (configs.size() == 1) group.config = configs.front();
    group.registers = weighted_mean(
        trace, group, [](const LaunchConfig& c) -> int64_t { return c.registers_per_thread; });
    group.shared_bytes =
        weighted_mean(trace, group, [](const LaunchConfig& c) { return c.shared_memory_bytes; });
    group.kineto_occupancy_percent = weighted_mean(
        trace, group, [](const LaunchConfig& c) -> int64_t { return c.kineto_occupancy_percent; });
}

// Means over the members whose footprint is known, by their duration.
void add_footprint(const Trace& trace, Footprints& footprints, KernelRow& group) {
    double weight = 0;
    double occupancy = 0;
    double waves = 0;
    const std::vector<OccupancyLimit>* limiters = nullptr;
    bool mixed = false;
    for (const uint32_t row : group.members) {
        const Occupancy* const known = footprints.of(row);
        if (!known) continue;
        // What takes no time still counts, for next to nothing.
        const double d =
            std::max(1e-3, static_cast<double>(trace.duration(trace.gpu_activities.slice[row])));
        weight += d;
        occupancy += d * known->theoretical;
        waves += d * known->waves;
        if (limiters && *limiters != known->limiters) mixed = true;
        if (!limiters) {
            limiters = &known->limiters;
            group.limiter = limiter_text(*known);
        }
    }
    group.occupancy = weight > 0 ? occupancy / weight : kNotKnown;
    group.waves = weight > 0 ? waves / weight : kNotKnown;
    if (mixed) group.limiter = "mixed";
}

struct OperatorTime {
    StringId name;
    Nanos time;
    SliceRef first;
};

void add_operator(const Trace& trace, const Attribution& attribution, KernelRow& group) {
    std::vector<OperatorTime> times;
    for (const uint32_t row : group.members) {
        const SliceRef op = attribution.op[row];
        if (!op) continue;
        const StringId name = trace.name_id(op);
        auto at = std::find_if(times.begin(), times.end(),
                               [&](const OperatorTime& t) { return t.name == name; });
        if (at == times.end()) at = times.insert(times.end(), {name, 0, op});
        at->time += trace.duration(trace.gpu_activities.slice[row]);
    }
    group.operators = static_cast<uint32_t>(times.size());
    const auto most = std::max_element(
        times.begin(), times.end(),
        [](const OperatorTime& a, const OperatorTime& b) { return a.time < b.time; });
    if (most != times.end()) group.op = most->first;
}

void add_stream(const Trace& trace, KernelRow& group) {
    const auto stream_of = [&](uint32_t row) {
        return known_or(trace.gpu_activities.stream, row, int32_t{-1});
    };
    group.stream = stream_of(group.members.front());
    for (const uint32_t row : group.members)
        if (stream_of(row) != group.stream) group.stream = kNoValue;
}

void add_times(const Trace& trace, KernelRow& group, Nanos device_total) {
    const GpuActivities& gpu = trace.gpu_activities;
    const auto start_of = [&](uint32_t row) { return trace.start(gpu.slice[row]); };
    if (!std::ranges::is_sorted(group.members, {}, start_of))
        std::ranges::stable_sort(group.members, {}, start_of);
    std::vector<Nanos> durations;
    durations.reserve(group.members.size());
    Nanos most = -1;
    for (const uint32_t row : group.members) {
        const Nanos d = trace.duration(gpu.slice[row]);
        if (d > most) group.longest = gpu.slice[row];
        most = std::max(most, d);
        durations.push_back(d);
    }
    group.warm_up = warm_up_count(durations);
    group.drift = drift(std::span<const Nanos>(durations).subspan(group.warm_up));
    radix_sort(durations, radix_key);
    group.durations = distribution_of(durations);
    group.share = device_total > 0 ? static_cast<double>(group.durations.total) /
                                         static_cast<double>(device_total)
                                   : kNotKnown;
}

}  // namespace

std::vector<KernelRow> kernel_rows(const TraceContext& context, const TableQuery& query,
                                   KernelGrouping grouping) {
    const Trace& trace = context.trace();
    const Attribution& attribution = context.attribution();
    Footprints footprints(trace);
    Gathering all = gather(trace, query, grouping);
    for (KernelRow& group : all.groups) {
        add_times(trace, group, all.total_of_process[group.process]);
        add_launch(trace, group);
        add_footprint(trace, footprints, group);
        add_operator(trace, attribution, group);
        add_stream(trace, group);
    }
    std::ranges::stable_sort(all.groups, std::greater(),
                             [](const KernelRow& row) { return row.durations.total; });
    return std::move(all.groups);
}

}  // namespace lanescope
