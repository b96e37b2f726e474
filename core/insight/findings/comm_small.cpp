// Many small collectives: their latency costs more than what they send.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/collectives/collectives.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct CommSmallRule : RuleBase {
    static constexpr RuleText kText = {"comm-small", "Collectives are small",
                                       "kernels of collectives", RuleAbout::idle_time};
    double min_share =
        ratio("min_share", 0.02, "exposed time of small collectives, as a share of the steps");
    double max_mib = number(
        "max_mib", 1,
        "a message is small below this, in MiB: the bandwidth that it reaches falls quickly");
    double min_calls = number("min_calls", 20, "small collectives in a step");
    Nanos max_duration = duration("max_duration", 500'000,
                                  "where no sizes are recorded, a collective is small below this");

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput& input) const;
};
template FindingRule rule_of<CommSmallRule>();

namespace {

struct SmallCollectives {
    std::vector<GpuWork> work;
    std::vector<TimeRange> ranges;
    uint64_t sized = 0;
    double bytes = 0;
};

SmallCollectives small_in(const RuleInput& input, const DeviceWindow& device,
                          const std::vector<uint32_t>& collective_of, double largest,
                          Nanos longest) {
    const auto& rows = input.context.get<AllCollectives>().rows;
    SmallCollectives small;
    for (const GpuWork& work : device.work->work) {
        if (work.kind != WorkKind::communication || !device.counts(work)) continue;
        const uint32_t at = collective_of[work.row];
        const int64_t bytes = at == kNoRow ? kNoValue : rows[at].bytes;
        const bool is_small = bytes != kNoValue ? static_cast<double>(bytes) < largest
                                                : work.range.length() < longest;
        if (!is_small) continue;
        small.work.push_back(work);
        small.ranges.push_back(work.range);
        if (bytes == kNoValue) continue;
        ++small.sized;
        small.bytes += static_cast<double>(bytes);
    }
    return small;
}

}  // namespace

std::vector<Finding> CommSmallRule::find(const RuleInput& input) const {
    std::vector<Finding> findings;
    const auto& rows = input.context.get<AllCollectives>().rows;
    std::vector<uint32_t> collective_of(input.trace().gpu_activities.slice.size(), kNoRow);
    for (uint32_t i = 0; i < rows.size(); ++i)
        if (rows[i].activity != kNoRow) collective_of[rows[i].activity] = i;
    for (const DeviceWindow& device : input.devices) {
        SmallCollectives small =
            small_in(input, device, collective_of, max_mib * (1 << 20), max_duration);
        if (device.steps == 0) continue;  // how many are many, only steps tell
        const double per_step =
            static_cast<double>(small.work.size()) / static_cast<double>(device.steps);
        if (per_step < min_calls) continue;
        Intervals times = intersect(merged(std::move(small.ranges)), device.times);
        const Nanos all = total_length(times);
        auto finding = finding_for(device, min_share, subtract(times, device.computing));
        if (!finding) continue;
        finding->title = fmt::format("{} small collectives in each step, not overlapped for {}",
                                     format_count(std::llround(per_step)),
                                     format_duration(finding->cost_per_step.value_or(0)));
        finding->evidence = {{"mean duration",
                              static_cast<double>(all) / static_cast<double>(small.work.size()),
                              "ns", "collectives.duration_ns"}};
        if (small.sized > 0)
            finding->evidence.push_back({"mean size of a message",
                                         small.bytes / static_cast<double>(small.sized), "bytes",
                                         "collectives.bytes"});
        if (small.sized < small.work.size()) {
            finding->confidence = Confidence::possible;
            finding->evidence.push_back(remark(
                "sizes of some messages are not recorded: by their durations they are small"));
        }
        finding->advice =
            is_training(input.trace())
                ? "Send many tensors at once: DistributedDataParallel with a larger bucket_cap_mb "
                  "and gradient_as_bucket_view=True, FSDP with larger units, or "
                  "torch.distributed.all_reduce_coalesced instead of one all_reduce for each "
                  "parameter."
                : "Tensor parallelism sends a small message for each layer: larger batches send "
                  "more at once, and servers can fuse the all-reduce with the norm that follows "
                  "it.";
        finding->places = places_of(input.trace(), small.work);
        findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace lanescope
