// Three rules about a GPU's memory: it grows from step to step, it is nearly full, and the
// allocator holds much more than it gives out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/analysis/memory/memory_blocks.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

namespace {

constexpr std::string_view kGrowthId = "memory-growth";
constexpr std::array kGrowthThresholds = {
    ThresholdSpec{
        "min_growth", 0.01, ThresholdUnit::ratio,
        "growth of the peak from the first to the last steady step, as a share of the first peak"},
    ThresholdSpec{"min_mib", 16, ThresholdUnit::number, "the same in MiB"},
};
constexpr std::string_view kCapacityId = "near-capacity";
constexpr std::array kCapacityThresholds = {
    ThresholdSpec{"max_share", 0.90, ThresholdUnit::ratio,
                  "memory that the allocator reserves, as a share of the device's"},
};
constexpr std::string_view kFragmentsId = "fragmentation";
constexpr std::array kFragmentsThresholds = {
    ThresholdSpec{"min_share", 0.20, ThresholdUnit::ratio,
                  "memory that is reserved but not allocated at the peak, as a share of what is "
                  "reserved"},
    ThresholdSpec{"min_reserved", 0.50, ThresholdUnit::ratio,
                  "memory that is reserved, as a share of the device's"},
};

std::vector<Finding> find_growth(const RuleInput& input);
std::vector<Finding> find_capacity(const RuleInput& input);
std::vector<Finding> find_fragments(const RuleInput& input);

constexpr FindingRule kGrowthRule = {kGrowthId, "Memory grows from step to step",
                                     "steps, and memory (profile_memory=True)", kGrowthThresholds,
                                     find_growth};
constexpr FindingRule kCapacityRule = {kCapacityId, "The GPU's memory is nearly full",
                                       "memory (profile_memory=True)", kCapacityThresholds,
                                       find_capacity};
constexpr FindingRule kFragmentsRule = {
    kFragmentsId, "The allocator reserves more than it allocates", "memory (profile_memory=True)",
    kFragmentsThresholds, find_fragments};

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

Finding memory_finding(const FindingRule& rule, const DeviceWindow& device, Severity severity) {
    Finding finding;
    finding.rule = rule.id;
    finding.device = device.place;
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

std::vector<Finding> find_growth(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        const MemoryCurve* const curve = curve_of(input, device);
        if (!curve) continue;
        const auto peaks = peaks_by_step(input, device, *curve);
        if (peaks.size() < kFewestSteps) continue;
        const bool rises = std::ranges::adjacent_find(peaks, [](const auto& a, const auto& b) {
                               return a.bytes >= b.bytes;
                           }) == peaks.end();
        const auto growth = static_cast<double>(peaks.back().bytes - peaks.front().bytes);
        const double least = std::max(
            input.thresholds.of(kGrowthId, "min_growth") * static_cast<double>(peaks.front().bytes),
            input.thresholds.of(kGrowthId, "min_mib") * (1 << 20));
        if (!rises || growth < least) continue;
        Finding finding = memory_finding(kGrowthRule, device, Severity::medium);
        const double each = growth / static_cast<double>(peaks.size() - 1);
        finding.title = fmt::format("The peak of memory rises in each step, by {} on average",
                                    format_bytes(static_cast<int64_t>(each)));
        finding.evidence = {
            {fmt::format("peak in {}", peaks.front().step),
             static_cast<double>(peaks.front().bytes), "bytes", "memory.peak_bytes"},
            {fmt::format("peak in {}", peaks.back().step), static_cast<double>(peaks.back().bytes),
             "bytes", "memory.peak_bytes"},
        };
        finding.places = {place_at(input, *curve, peaks.back().at, "peak of memory")};
        finding.advice =
            "Something keeps tensors of earlier steps: a list of losses with their graphs (use "
            ".detach() or .item()), a cache, or growing inputs. lanescope table memory --by "
            "unfreed names the blocks.";
        findings.push_back(std::move(finding));
    }
    return findings;
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

std::vector<Finding> find_capacity(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        const auto most = most_memory(input, device);
        if (!most) continue;
        const double share = most->reserved / most->capacity;
        if (share < input.thresholds.of(kCapacityId, "max_share")) continue;
        Finding finding = memory_finding(kCapacityRule, device, Severity::medium);
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
        findings.push_back(std::move(finding));
    }
    return findings;
}

std::vector<Finding> find_fragments(const RuleInput& input) {
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        const auto most = most_memory(input, device);
        if (!most) continue;
        // The allocator must reserve at least the peak of what it allocates.
        const double unused = 1 - most->allocated / most->reserved;
        if (unused < input.thresholds.of(kFragmentsId, "min_share") ||
            most->reserved < input.thresholds.of(kFragmentsId, "min_reserved") * most->capacity)
            continue;
        Finding finding = memory_finding(kFragmentsRule, device, Severity::low);
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
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule memory_growth() {
    return kGrowthRule;
}

FindingRule near_capacity() {
    return kCapacityRule;
}

FindingRule fragmentation() {
    return kFragmentsRule;
}

}  // namespace lanescope
