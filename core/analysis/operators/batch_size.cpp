#include "core/analysis/operators/batch_size.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/analysis/structure/steps.h"
#include "core/models/arguments.h"

namespace lanescope {

namespace {

constexpr std::string_view kConvolution = "aten::convolution";

// Parses "[[N, C, H, W], [O, C, 3, 3], …]"; empty if the two shapes do not match.
std::optional<int64_t> batch_of(std::string_view dims) {
    const auto shapes = parse_dims(dims);
    if (!shapes || shapes->size() < 2) return std::nullopt;
    const Shape& x = (*shapes)[0].shape;
    const Shape& weight = (*shapes)[1].shape;
    const bool fits = x.size() >= 3 && x.size() == weight.size() && x[0] > 0;
    return fits ? std::optional(x[0]) : std::nullopt;
}

}  // namespace

std::optional<int64_t> batch_size(const TraceContext& context, std::span<const uint32_t> steps) {
    const Trace& trace = context.trace();
    const Operators& ops = trace.operators;
    if (steps.empty() || ops.input_dims.empty()) return std::nullopt;
    const Steps& known = context.get<Steps>();
    std::vector<bool> counts(known.all.size(), false);
    for (const uint32_t step : steps) counts[step] = true;
    std::map<StringId, int64_t> calls;  // by dims
    for (uint32_t row = 0; row < ops.slice.size(); ++row) {
        const SliceRef op = ops.slice[row];
        if (trace.name(op) != kConvolution) continue;
        const uint32_t step = known.at(trace.lanes[op.lane].process, trace.start(op));
        if (step != kNoRow && counts[step]) ++calls[ops.input_dims[row]];
    }
    std::optional<int64_t> batch;
    int64_t together = 0;  // maximum number of batches that could be in one step
    for (const auto& [dims, count] : calls) {
        const auto of_these = batch_of(trace.strings[dims]);
        const auto all = static_cast<int64_t>(steps.size());
        if (!of_these || (batch && batch != of_these) || count % all != 0) return std::nullopt;
        batch = of_these;
        together = std::gcd(together, count / all);
    }
    return together == 1 ? batch : std::nullopt;
}

}  // namespace lanescope
