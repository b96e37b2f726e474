// Many kernels are so short that launching them takes longer than running them.
#include <fmt/format.h>

#include <array>

#include "core/analysis/gpu/gaps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kTinyId = "tiny-kernels";
constexpr std::array kTinyThresholds = {
    ThresholdSpec{"max_duration", 10'000, ThresholdUnit::duration, "a kernel is tiny below this"},
    ThresholdSpec{"min_share", 0.10, ThresholdUnit::ratio,
                  "the time of tiny kernels, as a share of the time of all kernels"},
    ThresholdSpec{"min_idle", 0.02, ThresholdUnit::ratio,
                  "idle time before tiny kernels that the host causes, as a share of the steps"},
};

std::vector<Finding> find_tiny(const RuleInput& input);

constexpr FindingRule kTinyRule = {kTinyId, "Many kernels are very short",
                                   "kernels and their launches", kTinyThresholds, find_tiny};

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

std::vector<Finding> find_tiny(const RuleInput& input) {
    std::vector<Finding> findings;
    const auto longest = static_cast<Nanos>(input.thresholds.of(kTinyId, "max_duration"));
    for (const DeviceWindow& device : input.devices) {
        TinyKernels tiny = tiny_in(input, device, longest);
        const double share =
            static_cast<double>(tiny.time) / static_cast<double>(std::max<Nanos>(tiny.all_time, 1));
        if (tiny.count == 0 || share < input.thresholds.of(kTinyId, "min_share") ||
            tiny.idle <= 0 || device.share(tiny.idle) < input.thresholds.of(kTinyId, "min_idle"))
            continue;
        Finding finding = finding_on(kTinyRule, device, tiny.idle);
        finding.title =
            fmt::format("{} of {} are shorter than {}; the GPU idles for {} before them",
                        format_count(static_cast<int64_t>(tiny.count)),
                        format_count(tiny.all, "kernel", "kernels"), format_duration(longest),
                        format_duration(tiny.idle));
        finding.evidence = {
            {"share of the time of all kernels that short ones take", share, "ratio",
             "kernels.total_ns"},
            {"mean duration of the short kernels",
             static_cast<double>(tiny.time) / static_cast<double>(tiny.count), "ns",
             "kernels.mean_ns"},
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
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule tiny_kernels() {
    return kTinyRule;
}

}  // namespace lanescope
