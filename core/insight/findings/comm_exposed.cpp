// Communication runs while nothing computes.
#include <fmt/format.h>

#include <array>

#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

constexpr std::string_view kExposedId = "comm-exposed";
constexpr std::array kExposedThresholds = {
    ThresholdSpec{"min_share", 0.10, ThresholdUnit::ratio,
                  "communication not overlapped with computing, as a share of the steps"},
};

std::vector<Finding> find_exposed(const RuleInput& input);

constexpr FindingRule kExposedRule = {kExposedId, "Communication is exposed",
                                      "kernels of collectives", kExposedThresholds, find_exposed};

std::vector<Finding> find_exposed(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        const Trace& trace = input.trace();
        std::vector<TimeRange> ranges;
        Finding found;
        LargestPlaces places;
        for (const GpuWork& work : device.work->work) {
            if (work.kind != WorkKind::communication) continue;
            ranges.push_back(work.range);
            if (device.contains(work.range.begin))
                places.add(trace.gpu_activities.slice[work.row], work.range);
        }
        const Intervals communication = intersect(merged(std::move(ranges)), device.times);
        found.times = subtract(communication, device.computing);
        const Nanos exposed = total_length(found.times);
        if (exposed <= 0 || device.share(exposed) < input.thresholds.of(kExposedId, "min_share"))
            continue;
        Finding finding = finding_on(kExposedRule, device, exposed);
        const Nanos all = total_length(communication);
        finding.places = places.take(trace);
        finding.times = std::move(found.times);
        finding.title =
            exposed == all ? fmt::format("All communication is exposed: nothing computes during {}",
                                         format_duration(exposed))
                           : fmt::format(
                                 "{} of {} of communication are exposed: nothing computes "
                                 "meanwhile",
                                 format_duration(exposed), format_duration(all));
        finding.evidence = {
            {"communication", static_cast<double>(all), "ns", "breakdown.communication_ns"},
            {"share of the communication that overlaps with computing",
             static_cast<double>(all - exposed) / static_cast<double>(std::max<Nanos>(all, 1)),
             "ratio", "breakdown.overlap"},
        };
        finding.advice =
            "Overlap it with computing: let DistributedDataParallel reduce while backward runs "
            "(one bucket is too late: bucket_cap_mb), prefetch with FSDP, or accumulate gradients "
            "over several batches (no_sync()).";
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule comm_exposed() {
    return kExposedRule;
}

}  // namespace lanescope
