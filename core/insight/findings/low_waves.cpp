// Kernels with fewer blocks than the GPU has multiprocessors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"
#include "core/trace/kernel_label.h"

namespace lanescope {

struct LowWavesRule : RuleBase {
    static constexpr RuleText kText = {"low-waves", "Kernels leave multiprocessors empty",
                                       "grids of kernels and the number of multiprocessors"};
    double min_share = ratio(
        "min_share", 0.02, "time in which multiprocessors have no block, as a share of the steps");
    Nanos min_duration = duration("min_duration", 10'000, "shorter kernels belong to tiny-kernels");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<LowWavesRule>();

namespace {

// Collectives use few blocks on purpose. Kernels of libraries other than NCCL count as computing.
bool communicates(std::string_view name) {
    constexpr std::array<std::string_view, 6> parts = {"all_reduce", "allreduce",      "all_gather",
                                                       "allgather",  "reduce_scatter", "nccl"};
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

struct FewBlocks {
    std::vector<GpuWork> kernels;  // each with the range that is lost
    std::vector<TimeRange> lost;   // of each kernel the share of multiprocessors without a block
    Nanos time = 0;
    int64_t multiprocessors = 0;
    std::map<std::pair<StringId, int64_t>, Nanos> by_kernel;  // lost, by (name, blocks)
};

// Number of blocks in a kernel's grid; 0: not recorded.
int64_t blocks_of(const Trace& trace, uint32_t row) {
    const GpuActivities& gpu = trace.gpu_activities;
    const uint32_t config = gpu.config.empty() ? kNoRow : gpu.config[row];
    if (config == kNoRow) return 0;
    const uint32_t* const grid = trace.launch_configs[config].grid;
    return int64_t{grid[0]} * grid[1] * grid[2];
}

FewBlocks few_blocks_in(const RuleInput& input, const DeviceWindow& device, Nanos shortest) {
    const Trace& trace = input.trace();
    const Device* const described = input.described(device);
    const int64_t sms = described ? described->fact(DeviceFact::multiprocessors) : 0;
    if (sms <= 0) return {};
    const NameTest is_collective(trace.strings, communicates);
    FewBlocks found;
    for (const GpuWork& work : device.work->work) {
        if (work.kind != WorkKind::compute || work.range.length() < shortest ||
            !device.counts(work) ||
            is_collective(trace.name_id(trace.gpu_activities.slice[work.row])))
            continue;
        const int64_t blocks = blocks_of(trace, work.row);
        if (blocks <= 0 || blocks >= sms) continue;
        const double filled = static_cast<double>(blocks) / static_cast<double>(sms);
        const auto lost =
            static_cast<Nanos>(static_cast<double>(work.range.length()) * (1 - filled));
        found.lost.push_back({work.range.begin, work.range.begin + lost});
        found.kernels.push_back(work);
        found.kernels.back().range = found.lost.back();
        found.time += work.range.length();
        found.multiprocessors = sms;
        const StringId name = trace.name_id(trace.gpu_activities.slice[work.row]);
        found.by_kernel[{name, blocks}] += lost;
    }
    return found;
}

// When one kernel runs alone on the device.
Intervals alone_in(const DeviceWindow& device) {
    std::vector<std::pair<Nanos, int>> changes;  // of the number of running kernels
    for (const GpuWork& work : device.work->work) {
        if (work.kind != WorkKind::compute || work.range.length() <= 0) continue;
        changes.emplace_back(work.range.begin, 1);
        changes.emplace_back(work.range.end, -1);
    }
    std::ranges::sort(changes);
    Intervals alone;
    int running = 0;
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
        running += changes[i].second;
        if (running == 1) append_merged(alone, {changes[i].first, changes[i + 1].first});
    }
    return alone;
}

}  // namespace

std::optional<Finding> LowWavesRule::on_device(const RuleInput& input,
                                               const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    FewBlocks found = few_blocks_in(input, device, min_duration);
    if (found.kernels.empty()) return {};
    // While other kernels run beside them, multiprocessors without their blocks are not empty.
    auto finding = finding_for(
        device, min_share,
        intersect(intersect(merged(std::move(found.lost)), device.times), alone_in(device)));
    if (!finding) return {};
    finding->confidence = Confidence::likely;
    finding->title = fmt::format("{} for {} with fewer blocks than the GPU has multiprocessors",
                                 format_count(found.kernels.size(), "kernel runs", "kernels run"),
                                 format_duration(found.time));
    finding->evidence = {
        {"multiprocessors", static_cast<double>(found.multiprocessors), "count", ""}};
    std::vector<std::pair<std::pair<StringId, int64_t>, Nanos>> longest(found.by_kernel.begin(),
                                                                        found.by_kernel.end());
    std::ranges::stable_sort(longest, std::greater(),
                             [](const auto& entry) { return entry.second; });
    if (longest.size() > 3) longest.resize(3);
    for (const auto& [key, time] : longest)
        finding->evidence.push_back(
            {fmt::format("lost in {} with {}", kernel_label(trace.strings[key.first]),
                         format_count(static_cast<uint64_t>(key.second), "block", "blocks")),
             static_cast<double>(time), "ns", "kernels.waves"});
    finding->advice =
        "Give these kernels more to do at once: a larger batch, several small problems in one "
        "call (bmm, grouped GEMM, foreach), split-K for products with a long inner dimension, "
        "or other kernels on another stream at the same time.";
    finding->places = places_of(trace, found.kernels);
    return finding;
}

}  // namespace lanescope
