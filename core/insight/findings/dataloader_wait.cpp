// The GPU idles while the launching process waits for its data loader.
#include <fmt/format.h>

#include <array>

#include "core/analysis/structure/lane_view.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

constexpr std::string_view kLoaderId = "dataloader-wait";
constexpr std::array kLoaderThresholds = {
    ThresholdSpec{"min_share", 0.05, ThresholdUnit::ratio,
                  "idle time in calls of the data loader, as a share of the steps"},
};

std::vector<Finding> find_loader(const RuleInput& input);

constexpr FindingRule kLoaderRule = {kLoaderId, "The GPU waits for the data loader",
                                     "GPU work, and PyTorch's annotations of its data loader",
                                     kLoaderThresholds, find_loader};

// The calls of the data loader by the part of them in which the GPU idles.
void add_loads(const RuleInput& input, const DeviceWindow& device, Finding& finding) {
    const Trace& trace = input.trace();
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        const Lane& row = trace.lanes[lane];
        if (row.kind != LaneKind::thread || !device.summary->users[row.process]) continue;
        const LaneView view(row);
        for (uint32_t i = 0; i < view.size(); ++i) {
            if (!is_data_loading(trace.strings[view.name(i)])) continue;
            if (covered_length(device.loading, {view.start(i), view.end(i)}) > 0)
                finding.places.push_back(place_of(trace, {lane, i}));
        }
    }
    keep_largest(finding.places);
}

std::vector<Finding> find_loader(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        const Nanos loading = device.bound_times.data_loading;
        if (loading <= 0 || device.share(loading) < input.thresholds.of(kLoaderId, "min_share"))
            continue;
        Finding finding = finding_on(kLoaderRule, device, loading);
        finding.title =
            fmt::format("The GPU idles for {} of the {} while the data loader runs",
                        format_share(loading, device.length), device.steps > 0 ? "steps" : "span");
        finding.evidence = {
            {"GPU busy", device.share(device.bound_times.busy), "ratio", "steps.gpu_busy_ns"},
            {"idle in the data loader", static_cast<double>(loading), "ns",
             "steps.data_loading_ns"},
        };
        finding.advice =
            "Load batches ahead: DataLoader(num_workers=…, prefetch_factor=…, "
            "persistent_workers=True, pin_memory=True). If that is not enough, decode and augment "
            "on the GPU, or store the data in the form in which it is used.";
        finding.times = device.loading;
        add_loads(input, device, finding);
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule dataloader_wait() {
    return kLoaderRule;
}

}  // namespace lanescope
