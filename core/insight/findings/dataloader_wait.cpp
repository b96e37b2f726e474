// The GPU idles while the launching process waits for its data loader.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/structure/lane_view.h"
#include "core/base/format.h"
#include "core/insight/findings/host_times.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"
#include "core/insight/what_if/what_if.h"

namespace lanescope {

struct DataloaderWaitRule : RuleBase {
    static constexpr RuleText kText = {"dataloader-wait", "The GPU waits for the data loader",
                                       "GPU work, and PyTorch's annotations of its data loader",
                                       RuleAbout::idle_time};
    double min_share =
        ratio("min_share", 0.05, "idle time in calls of the data loader, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
    std::optional<Finding> without_device(const RuleInput& input) const;
};
template FindingRule rule_of<DataloaderWaitRule>();

namespace {

// What-if must save this share of the idle time to confirm that the steps wait for the loader.
constexpr double kSoundShare = 0.5;

// The calls of the data loader during which the GPU idles.
std::vector<SliceRef> loads_of(const RuleInput& input, const DeviceWindow& device) {
    const Trace& trace = input.trace();
    std::vector<SliceRef> loads;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        const Lane& row = trace.lanes[lane];
        if (row.kind != LaneKind::thread || !device.summary->users[row.process]) continue;
        const LaneView view(row);
        for (uint32_t i = 0; i < view.size(); ++i) {
            if (!is_data_loading(trace.strings[view.name(i)])) continue;
            if (covered_length(device.loading, {view.start(i), view.end(i)}) > 0)
                loads.push_back({lane, i});
        }
    }
    return loads;
}

// The time by which the device's steady steps would be shorter if these calls took no time.
Nanos saved_without(const RuleInput& input, const DeviceWindow& device,
                    const std::vector<SliceRef>& loads) {
    Change change;
    change.factor = std::numeric_limits<double>::infinity();
    change.calls = loads;
    const std::vector<double> by_step = saved_by_step(input.context, change);
    const Steps& steps = input.context.get<Steps>();
    double saved = 0;
    for (const SummaryStep& row : input.summary.steps.all) {
        const bool is_steady = !row.warm_up && row.bound != StepBound::unknown;
        if (is_steady && device.summary->users[steps.all[row.step].process])
            saved += by_step[row.step];
    }
    return std::llround(saved);
}

// The cost by what-if. It is at most the idle time: that the host itself is faster does not count.
// Where what-if saves much less, another thread loads, or the file does not show what waits for it.
void use_what_if(const RuleInput& input, const DeviceWindow& device,
                 const std::vector<SliceRef>& loads, Finding& finding) {
    if (device.steps == 0 || input.query.range) return;
    const Nanos idle = *finding.cost;
    const Nanos saved = std::min(saved_without(input, device, loads), idle);
    if (static_cast<double>(saved) < kSoundShare * static_cast<double>(idle)) {
        finding.confidence = Confidence::possible;
        finding.evidence.push_back(
            duration_of("saved by what-if; what else waits for the loader is not recorded",
                        std::max<Nanos>(saved, 0), ""));
        return;
    }
    const double part = static_cast<double>(saved) / static_cast<double>(idle);
    finding.cost = saved;
    finding.cost_kind = CostKind::saved;
    finding.share = device.share(saved);
    finding.cost_per_step = static_cast<double>(saved) / static_cast<double>(device.steps);
    finding.times = first_share(finding.times, part);
}

// "_SingleProcessDataLoaderIter" loads in the thread that asks for the batch.
std::string_view loader_advice(const std::vector<FindingPlace>& loads) {
    const bool has_no_workers = std::ranges::any_of(loads, [](const FindingPlace& load) {
        return load.name.find("_SingleProcessDataLoaderIter") != std::string::npos;
    });
    if (has_no_workers)
        return "The loader has no workers (num_workers=0), so nothing computes while it loads: "
               "DataLoader(num_workers=…, prefetch_factor=…, persistent_workers=True, "
               "pin_memory=True). Then decode and augment on the GPU, or store the data in the "
               "form in which it is used.";
    return "Load batches ahead: DataLoader(num_workers=…, prefetch_factor=…, "
           "persistent_workers=True, pin_memory=True). If that is not enough, decode and augment "
           "on the GPU, or store the data in the form in which it is used.";
}

}  // namespace

// The finding for a program without a GPU: the time of steps, or of the trace, in calls of the
// loader.
std::optional<Finding> DataloaderWaitRule::without_device(const RuleInput& input) const {
    const Trace& trace = input.trace();
    const HostTimes host = HostTimes::of(input);
    auto finding = host_time_finding(host, host.loading, min_share);
    if (!finding) return {};
    for (const SliceRef load : slices_named(input, NameTest(trace.strings, is_data_loading)))
        if (covered_length(host.steps, {trace.start(load), trace.slice_end(load)}) > 0)
            finding->places.push_back(place_of(trace, load));
    keep_largest(finding->places);
    finding->title = fmt::format("The program waits for its data loader for {} of the {}",
                                 format_percent(finding->share),
                                 input.summary.steps.all.empty() ? "trace" : "steps");
    finding->evidence = {duration_of("in calls of the loader", *finding->cost, "slices.total_ns")};
    finding->advice = loader_advice(finding->places);
    return finding;
}

std::optional<Finding> DataloaderWaitRule::on_device(const RuleInput& input,
                                                     const DeviceWindow& device) const {
    const Nanos loading = device.bound_times.data_loading;
    if (loading <= 0 || device.share(loading) < min_share) return {};
    Finding finding = finding_on(device, loading);
    finding.title =
        fmt::format("The GPU idles for {} of the {} while the data loader runs",
                    format_share(loading, device.length), device.steps > 0 ? "steps" : "span");
    finding.evidence = {
        {"GPU busy", device.share(device.bound_times.busy), "ratio", "steps.gpu_busy_ns"},
        {"idle in the data loader", static_cast<double>(loading), "ns", "steps.data_loading_ns"},
    };
    finding.times = device.loading;
    const std::vector<SliceRef> loads = loads_of(input, device);
    for (const SliceRef load : loads) finding.places.push_back(place_of(input.trace(), load));
    keep_largest(finding.places);
    finding.advice = loader_advice(finding.places);
    use_what_if(input, device, loads, finding);
    return finding;
}

}  // namespace lanescope
