// Attention as separate kernels: two matrix products with a softmax between them.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/format.h"
#include "core/insight/findings/matrix_kernels.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct UnfusedAttentionRule : RuleBase {
    static constexpr RuleText kText = {"unfused-attention", "Attention is not fused", "kernels"};
    double min_share =
        ratio("min_share", 0.01,
              "the time of softmax kernels between matrix products, as a share of the steps");
    double max_distance = number(
        "max_distance", 6, "kernels of the same stream from the softmax to each matrix product");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<UnfusedAttentionRule>();

namespace {

// Whether one of the next `distance` kernels in a direction multiplies matrices.
bool has_product(const Trace& trace, const NameTest& multiplies, const std::vector<GpuWork>& work,
                 std::size_t from, int step, int distance) {
    auto at = static_cast<std::ptrdiff_t>(from);
    for (int seen = 0; seen < distance;) {
        at += step;
        if (at < 0 || at >= static_cast<std::ptrdiff_t>(work.size())) return false;
        const GpuWork& one = work[static_cast<std::size_t>(at)];
        if (one.kind != WorkKind::compute) continue;
        ++seen;
        if (multiplies(trace.name_id(trace.gpu_activities.slice[one.row]))) return true;
    }
    return false;
}

}  // namespace

std::optional<Finding> UnfusedAttentionRule::on_device(const RuleInput& input,
                                                       const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    const auto distance = static_cast<int>(std::min(max_distance, 1000.0));
    const NameTest multiplies(trace.strings, is_matrix_kernel);
    const NameTest is_softmax(trace.strings, is_softmax_kernel);
    std::vector<TimeRange> ranges;
    uint64_t count = 0;
    LargestPlaces places;
    for (const GpuStream& stream : device.work->streams) {
        for (std::size_t i = 0; i < stream.work.size(); ++i) {
            const GpuWork& work = stream.work[i];
            const SliceRef slice = trace.gpu_activities.slice[work.row];
            if (work.kind != WorkKind::compute || !device.counts(work) ||
                !is_softmax(trace.name_id(slice)) ||
                !has_product(trace, multiplies, stream.work, i, -1, distance) ||
                !has_product(trace, multiplies, stream.work, i, 1, distance))
                continue;
            ++count;
            ranges.push_back(work.range);
            places.add(slice, work.range);
        }
    }
    auto finding =
        finding_for(device, min_share, intersect(merged(std::move(ranges)), device.times));
    if (!finding) return {};
    finding->confidence = Confidence::likely;
    finding->title = fmt::format("{} for {} between matrix products: attention is not fused",
                                 format_count(count, "softmax runs", "softmaxes run"),
                                 format_duration(*finding->cost));
    finding->evidence = {
        {"softmax kernels", static_cast<double>(count), "count", "kernels.calls"},
        {"their order (matrix product, softmax, matrix product) is that of attention", 0, "", ""},
    };
    finding->advice =
        "Use torch.nn.functional.scaled_dot_product_attention, whose kernels never write the "
        "matrix of scores: with Hugging Face attn_implementation=\"sdpa\" or "
        "\"flash_attention_2\". A float32 softmax, an unusual mask or dropout may prevent it.";
    finding->places = std::move(places).take(trace);
    return finding;
}

}  // namespace lanescope
