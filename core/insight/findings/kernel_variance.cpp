// Launches of one kernel with the same grid and shapes that take much longer than the others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/analysis/structure/operator_index.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"
#include "core/trace/kernel_label.h"

namespace lanescope {

struct KernelVarianceRule : RuleBase {
    static constexpr RuleText kText = {"kernel-variance", "The same kernel takes longer at times",
                                       "kernels, and shapes (record_shapes=True)"};
    double min_share = ratio("min_share", 0.01, "time beyond the medians, as a share of the steps");
    double min_ratio =
        number("min_ratio", 1.5, "a launch is slow from this multiple of the median on");
    Nanos min_duration =
        duration("min_duration", 10'000, "kernels with a shorter median do not count");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<KernelVarianceRule>();

namespace {

constexpr std::size_t kFewestLaunches = 10;

// The time of these kernels depends on the values in their inputs.
bool depends_on_values(std::string_view name) {
    constexpr std::array<std::string_view, 14> parts = {
        "Sort", "sort",    "embedding", "index",  "scatter", "gather", "unique",
        "Scan", "nonzero", "select",    "sparse", "permute", "moe",    "attention"};
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

struct LaunchKey {
    StringId name = 0;
    uint32_t config = kNoRow;
    StringId dims = StringPool::none;
    StringId types = StringPool::none;
    StringId strides = StringPool::none;
    auto operator<=>(const LaunchKey&) const = default;
};

struct Slow {
    std::vector<GpuWork> kernels;
    std::vector<TimeRange> excess;
    std::map<StringId, Nanos> by_name;
};

// Launches of one key, of which those are slow that take `ratio` times the median.
void add_slow(const Trace& trace, std::vector<GpuWork>& launches, double least_ratio,
              Nanos shortest, Slow& slow) {
    if (launches.size() < kFewestLaunches) return;
    std::vector<Nanos> lengths;
    lengths.reserve(launches.size());
    for (const GpuWork& work : launches) lengths.push_back(work.range.length());
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    const Nanos median = *middle;
    if (median < shortest) return;
    for (const GpuWork& work : launches) {
        const auto length = static_cast<double>(work.range.length());
        if (length < least_ratio * static_cast<double>(median)) continue;
        slow.kernels.push_back(work);
        slow.excess.push_back({work.range.begin + median, work.range.end});
        slow.by_name[trace.name_id(trace.gpu_activities.slice[work.row])] +=
            work.range.length() - median;
    }
}

Slow slow_in(const RuleInput& input, const DeviceWindow& device, double least_ratio,
             Nanos shortest) {
    const Trace& trace = input.trace();
    const Attribution& attribution = input.attribution;
    const OperatorIndex& operators = input.context.get<OperatorIndex>();
    const NameTest by_values(trace.strings, depends_on_values);
    std::map<LaunchKey, std::vector<GpuWork>> launches;
    if (trace.gpu_activities.config.empty() || trace.operators.input_dims.empty()) return {};
    for (const GpuWork& work : device.work->work) {
        const StringId name = trace.name_id(trace.gpu_activities.slice[work.row]);
        if (work.kind != WorkKind::compute || by_values(name) || !device.counts(work)) continue;
        const SliceRef op = attribution.op[work.row];
        const uint32_t row = op ? operators.row(op) : kNoRow;
        const StringId dims = row == kNoRow ? StringPool::none : trace.operators.input_dims[row];
        // Without shapes, equal launches need not have equal work.
        if (dims == StringPool::none) continue;
        const auto text = [row](const Column<StringId>& column) {
            return column.empty() ? StringPool::none : column[row];
        };
        launches[{name, trace.gpu_activities.config[work.row], dims,
                  text(trace.operators.input_types), text(trace.operators.input_strides)}]
            .push_back(work);
    }
    Slow slow;
    for (auto& [key, all] : launches) add_slow(trace, all, least_ratio, shortest, slow);
    return slow;
}

}  // namespace

std::optional<Finding> KernelVarianceRule::on_device(const RuleInput& input,
                                                     const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    Slow slow = slow_in(input, device, min_ratio, min_duration);
    auto finding =
        finding_for(device, min_share, intersect(merged(std::move(slow.excess)), device.times));
    if (!finding) return {};
    finding->confidence = Confidence::likely;
    finding->title =
        fmt::format("{} much longer than the median of equal launches: {} more in total",
                    format_count(slow.kernels.size(), "launch takes", "launches take"),
                    format_duration(static_cast<double>(*finding->cost)));
    std::vector<std::pair<StringId, Nanos>> most(slow.by_name.begin(), slow.by_name.end());
    std::ranges::stable_sort(most, std::greater(), &std::pair<StringId, Nanos>::second);
    if (most.size() > 3) most.resize(3);
    for (const auto& [name, time] : most)
        finding->evidence.push_back(
            {fmt::format("beyond the median in {}", kernel_label(trace.strings[name])),
             static_cast<double>(time), "ns", "kernels.max_ns"});
    finding->advice =
        "See what runs at the same time as the slow launches: other streams, copies or "
        "collectives that share memory bandwidth. If nothing does, look at clocks and at other "
        "programs on the GPU.";
    finding->places = places_of(trace, slow.kernels);
    return finding;
}

}  // namespace lanescope
