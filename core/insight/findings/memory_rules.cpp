// Three rules about a GPU's memory: it grows from step to step, it is nearly full, and the
// allocator holds much more than it gives out.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/analysis/memory/memory_blocks.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct MemoryGrowthRule : RuleBase {
    static constexpr RuleText kText = {"memory-growth", "Memory grows from step to step",
                                       "steps, and memory (profile_memory=True)"};
    double min_growth = ratio(
        "min_growth", 0.01,
        "growth of the peak from the first to the last steady step, as a share of the first peak");
    double min_mib = number("min_mib", 16, "the same in MiB");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<MemoryGrowthRule>();

struct NearCapacityRule : RuleBase {
    static constexpr RuleText kText = {"near-capacity", "The GPU's memory is nearly full",
                                       "memory (profile_memory=True)"};
    double max_share =
        ratio("max_share", 0.90, "memory that the allocator reserves, as a share of the device's");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<NearCapacityRule>();

struct FragmentationRule : RuleBase {
    static constexpr RuleText kText = {"fragmentation",
                                       "The allocator reserves more than it allocates",
                                       "memory (profile_memory=True)"};
    double min_share = ratio(
        "min_share", 0.20,
        "memory that is reserved but not allocated at the peak, as a share of what is reserved");
    double min_reserved =
        ratio("min_reserved", 0.50, "memory that is reserved, as a share of the device's");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<FragmentationRule>();

namespace {

constexpr std::size_t kFewestSteps = 3;

// The curve of a device of the summary; null: its memory is not recorded.
const MemoryCurve* curve_of(const RuleInput& input, const DeviceWindow& device) {
    const auto& curves = input.context.get<MemoryCurves>().all;
    const auto at = std::ranges::find_if(curves, [&](const MemoryCurve& curve) {
        return curve.device_type != 0 && curve.device_id == device.summary->device &&
               device.summary->users[curve.process] && !curve.rows.empty();
    });
    return at == curves.end() ? nullptr : &*at;
}

// Bytes of a device's memory; 0: not recorded.
int64_t capacity_of(const RuleInput& input, const DeviceWindow& device) {
    const Device* const described = input.described(device);
    return described ? described->fact(DeviceFact::memory_bytes) : 0;
}

FindingPlace place_at(const RuleInput& input, const MemoryCurve& curve, std::size_t at,
                      std::string name) {
    const Nanos time = input.trace().memory_events.time[curve.rows[at]];
    return {{}, {time, time + 1}, SliceRef::no_index, std::move(name)};
}

Finding memory_finding(Severity severity) {
    Finding finding;
    finding.cost_kind = CostKind::bytes;
    finding.severity = severity;
    return finding;
}

struct StepPeak {
    std::string step;
    int64_t bytes = 0;
    std::size_t at = 0;  // of the curve
};

// The peak of each steady step that has memory events.
std::vector<StepPeak> peaks_by_step(const RuleInput& input, const DeviceWindow& device,
                                    const MemoryCurve& curve) {
    const Trace& trace = input.trace();
    const Steps& steps = input.context.get<Steps>();
    std::vector<StepPeak> peaks;
    for (const SummaryStep& row : input.summary.steps.all) {
        const Step& step = steps.all[row.step];
        if (row.warm_up || !device.summary->users[step.process] || !is_inside(input, step.range))
            continue;
        const auto time = [&](uint32_t event) { return trace.memory_events.time[event]; };
        const auto first = std::ranges::lower_bound(curve.rows, step.range.begin, {}, time);
        const auto last = std::ranges::lower_bound(curve.rows, step.range.end, {}, time);
        if (first == last) continue;
        const auto begin = static_cast<std::size_t>(first - curve.rows.begin());
        const auto end = static_cast<std::size_t>(last - curve.rows.begin());
        const auto most =
            std::max_element(curve.allocated.begin() + static_cast<std::ptrdiff_t>(begin),
                             curve.allocated.begin() + static_cast<std::ptrdiff_t>(end));
        peaks.push_back({full_step_label(trace, steps, row.step), *most,
                         static_cast<std::size_t>(most - curve.allocated.begin())});
    }
    return peaks;
}

// The most that a device's allocator reserves and allocates inside the query's range.
struct MostMemory {
    const MemoryCurve* curve = nullptr;
    std::size_t at = 0;  // the event with most reserved memory
    double reserved = 0;
    double allocated = 0;
    double capacity = 0;  // of the device
};

// Empty: the reserved memory or the device's size is not recorded.
std::optional<MostMemory> most_memory(const RuleInput& input, const DeviceWindow& device) {
    MostMemory most;
    most.curve = curve_of(input, device);
    most.capacity = static_cast<double>(capacity_of(input, device));
    if (!most.curve || most.capacity <= 0) return {};
    const auto& range = input.query.range;
    for (std::size_t i = 0; i < most.curve->rows.size(); ++i) {
        const Nanos time = input.trace().memory_events.time[most.curve->rows[i]];
        if (range && !range->contains(time)) continue;
        most.allocated = std::max(most.allocated, static_cast<double>(most.curve->allocated[i]));
        const int64_t reserved = most.curve->reserved[i];
        if (reserved == kNoValue || static_cast<double>(reserved) <= most.reserved) continue;
        most.reserved = static_cast<double>(reserved);
        most.at = i;
    }
    return most.reserved > 0 ? std::optional(most) : std::nullopt;
}

}  // namespace

std::optional<Finding> MemoryGrowthRule::on_device(const RuleInput& input,
                                                   const DeviceWindow& device) const {
    const MemoryCurve* const curve = curve_of(input, device);
    if (!curve) return {};
    const auto peaks = peaks_by_step(input, device, *curve);
    if (peaks.size() < kFewestSteps) return {};
    const bool rises = std::ranges::adjacent_find(peaks, [](const auto& a, const auto& b) {
                           return a.bytes >= b.bytes;
                       }) == peaks.end();
    const auto growth = static_cast<double>(peaks.back().bytes - peaks.front().bytes);
    const double least =
        std::max(min_growth * static_cast<double>(peaks.front().bytes), min_mib * (1 << 20));
    if (!rises || growth < least) return {};
    Finding finding = memory_finding(Severity::medium);
    const double each = growth / static_cast<double>(peaks.size() - 1);
    finding.title = fmt::format("The peak of memory rises in each step, by {} on average",
                                format_bytes(static_cast<int64_t>(each)));
    finding.evidence = {
        {fmt::format("peak in {}", peaks.front().step), static_cast<double>(peaks.front().bytes),
         "bytes", "memory.peak_bytes"},
        {fmt::format("peak in {}", peaks.back().step), static_cast<double>(peaks.back().bytes),
         "bytes", "memory.peak_bytes"},
    };
    finding.places = {place_at(input, *curve, peaks.back().at, "peak of memory")};
    finding.advice =
        "Something keeps tensors of earlier steps: a list of losses with their graphs (use "
        ".detach() or .item()), a cache, or growing inputs. lanescope table memory --by "
        "unfreed names the blocks.";
    return finding;
}

std::optional<Finding> NearCapacityRule::on_device(const RuleInput& input,
                                                   const DeviceWindow& device) const {
    const auto most = most_memory(input, device);
    if (!most) return {};
    const double share = most->reserved / most->capacity;
    if (share < max_share) return {};
    Finding finding = memory_finding(Severity::medium);
    finding.title =
        fmt::format("The allocator reserves {} of the GPU's memory", format_percent(share));
    finding.evidence = {
        {"reserved", most->reserved, "bytes", "memory.reserved_bytes"},
        {"memory of the device", most->capacity, "bytes", ""},
    };
    finding.places = {place_at(input, *most->curve, most->at, "most memory reserved")};
    finding.advice =
        "Near the end of memory the allocator frees its cache and allocates again, which waits "
        "for the GPU. Use activation checkpointing, a smaller batch, or sharded states "
        "(FSDP); look at lanescope table memory --by module.";
    return finding;
}

std::optional<Finding> FragmentationRule::on_device(const RuleInput& input,
                                                    const DeviceWindow& device) const {
    const auto most = most_memory(input, device);
    if (!most) return {};
    // The allocator must reserve at least the peak of what it allocates.
    const double unused = 1 - most->allocated / most->reserved;
    if (unused < min_share || most->reserved < min_reserved * most->capacity) return {};
    Finding finding = memory_finding(Severity::low);
    finding.title =
        fmt::format("{} of the reserved memory is not allocated at any time of the recording",
                    format_percent(unused));
    finding.evidence = {
        {"reserved at most", most->reserved, "bytes", "memory.reserved_bytes"},
        {"allocated at most", most->allocated, "bytes", "memory.peak_bytes"},
    };
    finding.places = {place_at(input, *most->curve, most->at, "most memory reserved")};
    finding.advice =
        "Blocks of many sizes leave holes: set "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, pad inputs to a few sizes, and run "
        "the largest batch first.";
    return finding;
}

}  // namespace lanescope
