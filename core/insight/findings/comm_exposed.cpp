// Communication runs while nothing computes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/analysis/collectives/collectives.h"
#include "core/base/format.h"
#include "core/insight/findings/host_times.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct CommExposedRule : RuleBase {
    static constexpr RuleText kText = {"comm-exposed", "Communication is exposed",
                                       "kernels of collectives", RuleAbout::idle_time};
    double min_share = ratio(
        "min_share", 0.10, "communication not overlapped with computing, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
    std::optional<Finding> without_device(const RuleInput& input) const;
};
template FindingRule rule_of<CommExposedRule>();

namespace {

constexpr std::size_t kTypesNamed = 3;

// The exposed time by the type of the collective.
std::map<CollectiveType, Nanos> exposed_by_type(const RuleInput& input, const DeviceWindow& device,
                                                const Intervals& exposed) {
    const Trace& trace = input.trace();
    std::vector<uint8_t> is_own(trace.gpu_activities.slice.size());
    for (const GpuWork& work : device.work->work) is_own[work.row] = 1;
    std::map<CollectiveType, Nanos> by_type;
    for (const CollectiveRow& row : input.context.get<AllCollectives>().rows) {
        if (row.activity == kNoRow || !is_own[row.activity]) continue;
        const TimeRange range{trace.start(row.slice), trace.slice_end(row.slice)};
        if (const Nanos time = covered_length(exposed, range); time > 0) by_type[row.type] += time;
    }
    return by_type;
}

std::string_view exposed_advice(const RuleInput& input, CollectiveType most) {
    if (most == CollectiveType::all_to_all)
        return "Overlap the exchange with computing that does not need it: TorchRec's "
               "TrainPipelineSparseDist for embeddings, two half batches in turn for experts. Send "
               "less: 16-bit or quantized communication, and balanced shards.";
    if (most == CollectiveType::send_receive)
        return "Ranks exchange data in pairs: in an all-to-all of embeddings or experts, or "
               "between "
               "stages of a pipeline. Overlap it with computing that does not need it (TorchRec's "
               "TrainPipelineSparseDist, two half batches in turn), use more micro-batches in a "
               "pipeline, and send less (16-bit or quantized communication, balanced shards).";
    if (!is_training(input.trace()))
        return "With tensor parallelism each layer waits for its collectives: use fewer GPUs or "
               "data and pipeline parallelism where the model fits, kernels that fuse the "
               "reduction with the next norm, custom all-reduce for small messages, or two half "
               "batches in turn.";
    return "Overlap it with computing: let DistributedDataParallel reduce while backward runs "
           "(one bucket is too late: bucket_cap_mb), prefetch with FSDP, or accumulate gradients "
           "over several batches (no_sync()).";
}

void add_types(const RuleInput& input, const DeviceWindow& device, Finding& finding) {
    const auto by_type = exposed_by_type(input, device, finding.times);
    std::vector<std::pair<CollectiveType, Nanos>> longest(by_type.begin(), by_type.end());
    std::ranges::stable_sort(longest, std::greater(), &std::pair<CollectiveType, Nanos>::second);
    if (longest.size() > kTypesNamed) longest.resize(kTypesNamed);
    for (const auto& [type, time] : longest)
        if (type != CollectiveType::unknown)
            finding.evidence.push_back(
                duration_of(fmt::format("exposed in {}", collective_type_name(type)), time,
                            "collectives.exposed_ns"));
    finding.advice =
        exposed_advice(input, longest.empty() ? CollectiveType::unknown : longest.front().first);
}

}  // namespace

// The finding for a program without a GPU: collectives of Gloo or MPI during which no operator
// runs.
std::optional<Finding> CommExposedRule::without_device(const RuleInput& input) const {
    const Trace& trace = input.trace();
    const HostTimes host = HostTimes::of(input);
    const Intervals exposed = host.exposed();
    auto finding = host_time_finding(host, exposed, min_share);
    if (!finding) return {};
    LargestPlaces places;
    for (const CollectiveRow& row : input.context.get<AllCollectives>().rows) {
        const TimeRange range{trace.start(row.slice), trace.slice_end(row.slice)};
        if (covered_length(exposed, range) > 0) places.add(row.slice, range);
    }
    const Nanos all = total_length(intersect(host.communication, host.steps));
    finding->title = fmt::format(
        "{} of {} of communication on the CPU are exposed: no operator runs at the same time",
        format_duration(*finding->cost), format_duration(all));
    finding->evidence = {
        duration_of("communication", all, "collectives.duration_ns"),
        remark("a rank that arrives early waits inside a collective: the time may be another "
               "rank's delay")};
    finding->advice =
        "Let gradients be reduced while backward runs (DistributedDataParallel with a smaller "
        "bucket_cap_mb), accumulate gradients over several batches (no_sync()), or send less "
        "(16-bit compression hooks). Compare all ranks: lanescope findings rank0.json rank1.json.";
    finding->places = std::move(places).take(trace);
    return finding;
}

std::optional<Finding> CommExposedRule::on_device(const RuleInput& input,
                                                  const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    std::vector<TimeRange> ranges;
    LargestPlaces places;
    for (const GpuWork& work : device.work->work) {
        if (work.kind != WorkKind::communication) continue;
        ranges.push_back(work.range);
        if (device.counts(work)) places.add(trace.gpu_activities.slice[work.row], work.range);
    }
    const Intervals communication = intersect(merged(std::move(ranges)), device.times);
    auto finding = finding_for(device, min_share, subtract(communication, device.computing));
    if (!finding) return {};
    const Nanos exposed = *finding->cost;
    const Nanos all = total_length(communication);
    finding->places = std::move(places).take(trace);
    finding->title =
        exposed == all
            ? fmt::format("All communication is exposed: nothing computes during {}",
                          format_duration(exposed))
            : fmt::format("{} of {} of communication are exposed: nothing computes meanwhile",
                          format_duration(exposed), format_duration(all));
    finding->evidence = {
        {"communication", static_cast<double>(all), "ns", "breakdown.communication_ns"},
        {"share of the communication that overlaps with computing",
         static_cast<double>(all - exposed) / static_cast<double>(std::max<Nanos>(all, 1)), "ratio",
         "breakdown.overlap"},
    };
    add_types(input, device, *finding);
    return finding;
}

}  // namespace lanescope
