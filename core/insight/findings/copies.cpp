// Copies: of pageable memory, and copies beside which nothing runs.
#include <fmt/format.h>

#include "core/analysis/structure/device_steps.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct PageableCopiesRule : RuleBase {
    static constexpr RuleText kText = {"pageable-copies", "Copies use pageable memory",
                                       "copies with the kinds of their memory",
                                       RuleAbout::idle_time};
    double min_share = ratio("min_share", 0.01,
                             "pageable copies that overlap with nothing, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<PageableCopiesRule>();

struct CopiesNotOverlappedRule : RuleBase {
    static constexpr RuleText kText = {"copies-not-overlapped", "Copies run alone", "copies",
                                       RuleAbout::idle_time};
    double min_share = ratio(
        "min_share", 0.02,
        "other copies from and to the host that overlap with nothing, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<CopiesNotOverlappedRule>();

namespace {

struct Copies {
    uint64_t count = 0;
    int64_t bytes = 0;
    Intervals alone;    // times in which nothing else runs
    Nanos between = 0;  // part of `alone` outside of steps
    bool knows_memory = false;
    Nanos to_host = 0, to_device = 0;
    LargestPlaces places;
};

// "Memcpy HtoD (Pinned -> Device)": copies inside a device or between devices are not of interest.
bool is_with_host(std::string_view name) {
    return name.find("HtoD") != std::string_view::npos ||
           name.find("DtoH") != std::string_view::npos;
}

// The time before each step in which copies may bring the step's input: at most as long as the
// step, and outside of other steps.
Intervals before_steps(const RuleInput& input, const DeviceWindow& device) {
    if (device.steps == 0 || device.times.empty() || input.query.range) return {};
    const Nanos usual = device.length / static_cast<Nanos>(device.steps);
    std::vector<TimeRange> before;
    std::vector<TimeRange> steps;
    for (const TimeRange times : device.times) before.push_back({times.begin - usual, times.begin});
    for (const DeviceStep& step : input.context.get<DeviceSteps>().all)
        steps.push_back(step.window);
    return subtract(merged(std::move(before)), merged(std::move(steps)));
}

Copies copies_in(const RuleInput& input, const DeviceWindow& device, bool pageable) {
    const Trace& trace = input.trace();
    std::vector<GpuWork> chosen;
    std::vector<TimeRange> ranges;
    std::vector<TimeRange> inputs;
    std::vector<TimeRange> others;
    const NameTest to_device(trace.strings, [](std::string_view name) {
        return name.find("HtoD") != std::string_view::npos;
    });
    const NameTest wanted(trace.strings, [&](std::string_view name) {
        const bool is_pageable = name.find("Pageable") != std::string_view::npos;
        return is_with_host(name) && is_pageable == pageable;
    });
    for (const GpuWork& work : device.work->work) {
        const StringId name = trace.name_id(trace.gpu_activities.slice[work.row]);
        const bool fits = work.kind == WorkKind::copy && wanted(name);
        (fits ? ranges : others).push_back(work.range);
        if (fits && to_device(name)) inputs.push_back(work.range);
        if (fits) chosen.push_back(work);
    }
    Copies copies;
    const Intervals before = pageable ? before_steps(input, device) : Intervals();
    const Intervals counted = unite(intersect(merged(std::move(ranges)), device.times),
                                    intersect(merged(std::move(inputs)), before));
    copies.alone = subtract(counted, merged(std::move(others)));
    copies.between = total_length(intersect(copies.alone, before));
    for (const GpuWork& work : chosen) {
        if (covered_length(copies.alone, work.range) <= 0) continue;
        const SliceRef slice = trace.gpu_activities.slice[work.row];
        const std::string_view name = trace.name(slice);
        ++copies.count;
        copies.knows_memory =
            copies.knows_memory || name.find("Pinned") != std::string_view::npos || pageable;
        const Column<int64_t>& bytes = trace.gpu_activities.bytes;
        if (!bytes.empty() && bytes[work.row] != kNoValue) copies.bytes += bytes[work.row];
        copies.places.add(slice, work.range);
        (name.find("DtoH") != std::string_view::npos ? copies.to_host : copies.to_device) +=
            work.range.length();
    }
    return copies;
}

std::optional<Finding> finding_of_copies(const RuleInput& input, const DeviceWindow& device,
                                         bool pageable, double min_share) {
    Copies copies = copies_in(input, device, pageable);
    auto finding = finding_for(device, min_share, std::move(copies.alone));
    if (!finding) return {};
    finding->times = intersect(finding->times, device.times);
    finding->title =
        fmt::format("{} {} {} while nothing else runs on the GPU",
                    format_count(copies.count, pageable ? "pageable copy" : "copy",
                                 pageable ? "pageable copies" : "copies"),
                    copies.count == 1 ? "takes" : "take", format_duration(*finding->cost));
    finding->evidence = {
        {"copied by them", static_cast<double>(copies.bytes), "bytes", "kernels.bytes"},
        {"copies", static_cast<double>(copies.count), "count", "kernels.calls"},
    };
    if (copies.between > 0)
        finding->evidence.push_back(duration_of("of it between the steps", copies.between, ""));
    if (!copies.knows_memory) {
        finding->confidence = Confidence::likely;
        finding->evidence.push_back(
            {"whether the host's memory is pinned is not recorded", 0, "", ""});
    }
    finding->evidence.push_back(
        duration_of("copies to the GPU", copies.to_device, "kernels.total_ns"));
    finding->evidence.push_back(
        duration_of("copies to the host", copies.to_host, "kernels.total_ns"));
    finding->advice =
        pageable && copies.to_host > copies.to_device
            ? "Copy results into pinned memory: torch.empty(…, pin_memory=True).copy_(tensor, "
              "non_blocking=True), and wait for it later. .cpu(), .item() and .tolist() copy "
              "to pageable memory: gather what they read, and copy it once."
        : pageable
            ? "Copy from pinned memory: DataLoader(pin_memory=True) or tensor.pin_memory(), "
              "and .to(device, non_blocking=True), so that the copy is faster and runs beside "
              "computing."
            : "Overlap copies with computing: on another stream, one batch ahead. Keep what is "
              "copied again and again on the GPU.";
    finding->places = std::move(copies.places).take(input.trace());
    return finding;
}

}  // namespace

std::optional<Finding> PageableCopiesRule::on_device(const RuleInput& input,
                                                     const DeviceWindow& device) const {
    return finding_of_copies(input, device, true, min_share);
}

std::optional<Finding> CopiesNotOverlappedRule::on_device(const RuleInput& input,
                                                          const DeviceWindow& device) const {
    return finding_of_copies(input, device, false, min_share);
}

}  // namespace lanescope
