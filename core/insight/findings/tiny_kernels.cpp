// Many kernels are so short that launching them takes longer than running them.
#include <fmt/format.h>

#include "core/analysis/gpu/gaps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct TinyKernelsRule : RuleBase {
    static constexpr RuleText kText = {"tiny-kernels", "Many kernels are very short",
                                       "kernels and their launches", RuleAbout::idle_time};
    Nanos max_duration = duration("max_duration", 10'000, "a kernel is tiny below this");
    double min_share =
        ratio("min_share", 0.10, "the time of tiny kernels, as a share of the time of all kernels");
    double min_idle =
        ratio("min_idle", 0.02,
              "idle time before tiny kernels that the host causes, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<TinyKernelsRule>();

namespace {

// Longer gaps, in durations of the longest tiny kernel, are not the cost of a launch.
constexpr Nanos kLongestLaunchGap = 10;

struct TinyKernels {
    uint64_t count = 0, all = 0;
    Nanos time = 0, all_time = 0;
    Nanos idle = 0;
    std::vector<TimeRange> gaps;
    LargestPlaces places;
};

TinyKernels tiny_in(const RuleInput& input, const DeviceWindow& device, Nanos longest) {
    TinyKernels tiny;
    for (const GpuWork& work : device.work->work) {
        if (work.kind != WorkKind::compute || !device.counts(work)) continue;
        const Nanos time = work.range.length();
        ++tiny.all;
        tiny.all_time += time;
        if (time >= longest) continue;
        ++tiny.count;
        tiny.time += time;
    }
    const Trace& trace = input.trace();
    for (const IdleGap* const one : device.gaps) {
        const IdleGap& gap = *one;
        // A long gap, or one in which the host waited, has another reason than the launch.
        const bool is_launch = gap.cause == GapCause::host || gap.cause == GapCause::launch_latency;
        if (!is_launch || gap.range.length() > kLongestLaunchGap * longest) continue;
        const SliceRef next = trace.gpu_activities.slice[gap.after];
        if (trace.event_class(next) != EventClass::kernel || trace.duration(next) >= longest)
            continue;
        const Nanos idle = covered_length(device.times, gap.range);
        if (idle <= 0) continue;
        tiny.idle += idle;
        tiny.gaps.push_back(gap.range);
        tiny.places.add_idle(gap.range, next);
    }
    return tiny;
}

}  // namespace

std::optional<Finding> TinyKernelsRule::on_device(const RuleInput& input,
                                                  const DeviceWindow& device) const {
    TinyKernels tiny = tiny_in(input, device, max_duration);
    const double share =
        static_cast<double>(tiny.time) / static_cast<double>(std::max<Nanos>(tiny.all_time, 1));
    if (tiny.count == 0 || share < min_share || tiny.idle <= 0 ||
        device.share(tiny.idle) < min_idle)
        return {};
    Finding finding = finding_on(device, tiny.idle);
    finding.title = fmt::format("{} of {} are shorter than {}; the GPU idles for {} before them",
                                format_count(static_cast<int64_t>(tiny.count)),
                                format_count(tiny.all, "kernel", "kernels"),
                                format_duration(max_duration), format_duration(tiny.idle));
    finding.evidence = {
        {"share of the time of all kernels that short ones take", share, "ratio",
         "kernels.total_ns"},
        {"mean duration of the short kernels",
         static_cast<double>(tiny.time) / static_cast<double>(tiny.count), "ns", "kernels.mean_ns"},
    };
    finding.advice =
        is_training(input.trace())
            ? "Let fewer kernels do more: torch.compile fuses chains of elementwise operators, "
              "fused=True or foreach=True in the optimizer, larger batches; CUDA graphs launch "
              "many kernels at once."
            : "Let fewer kernels do more: torch.compile fuses chains of elementwise operators, "
              "libraries have fused kernels for norms, activations and rotary embeddings, and "
              "batches can be larger; CUDA graphs launch many kernels at once.";
    finding.places = std::move(tiny.places).take(input.trace());
    finding.times = intersect(merged(std::move(tiny.gaps)), device.times);
    return finding;
}

}  // namespace lanescope
