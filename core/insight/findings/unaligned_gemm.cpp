// Matrix kernels whose operands are not aligned.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/operator_index.h"
#include "core/base/format.h"
#include "core/insight/findings/matrix_kernels.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct UnalignedGemmRule : RuleBase {
    static constexpr RuleText kText = {"unaligned-gemm", "Matrix sizes are not aligned",
                                       "kernels with the names of cuBLAS or CUTLASS"};
    double min_share =
        ratio("min_share", 0.01,
              "the time of matrix kernels for unaligned operands, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<UnalignedGemmRule>();

std::optional<Finding> UnalignedGemmRule::on_device(const RuleInput& input,
                                                    const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    const Attribution& attribution = input.attribution;
    const OperatorIndex& operators = input.context.get<OperatorIndex>();
    const NameTest is_unaligned(trace.strings, is_unaligned_kernel);
    std::vector<TimeRange> ranges;
    std::map<std::string_view, Nanos> by_shape;
    LargestPlaces places;
    uint64_t count = 0;
    for (const GpuWork& work : device.work->work) {
        const SliceRef slice = trace.gpu_activities.slice[work.row];
        if (work.kind != WorkKind::compute || !device.counts(work) ||
            !is_unaligned(trace.name_id(slice)))
            continue;
        ++count;
        ranges.push_back(work.range);
        places.add(slice, work.range);
        const SliceRef op = attribution.op[work.row];
        const uint32_t row = op ? operators.row(op) : kNoRow;
        if (row != kNoRow && !trace.operators.input_dims.empty())
            by_shape[trace.strings[trace.operators.input_dims[row]]] += work.range.length();
    }
    auto finding =
        finding_for(device, min_share, intersect(merged(std::move(ranges)), device.times));
    if (!finding) return {};
    finding->title = fmt::format("{} for {} with operands that are not aligned (align1 or align2)",
                                 format_count(count, "matrix kernel runs", "matrix kernels run"),
                                 format_duration(*finding->cost));
    for (const auto& [shape, length] : by_shape)
        finding->evidence.push_back({fmt::format("with the inputs {}", shape.empty() ? "?" : shape),
                                     static_cast<double>(length), "ns", ""});
    std::ranges::stable_sort(finding->evidence, std::greater(), &FindingEvidence::value);
    if (finding->evidence.size() > 3) finding->evidence.resize(3);
    if (finding->evidence.empty()) {
        finding->confidence = Confidence::likely;
        finding->evidence.push_back({"shapes are not recorded (record_shapes=True)", 0, "", ""});
    }
    finding->places = std::move(places).take(trace);
    finding->advice =
        "Make the inner sizes multiples of 8 (16-bit) or 16 (8-bit): pad vocabulary, heads and "
        "sequence lengths, and keep slices of tensors contiguous. The libraries then use "
        "kernels that load 16 bytes at once.";
    return finding;
}

}  // namespace lanescope
