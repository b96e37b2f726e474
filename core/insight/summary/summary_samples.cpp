// The part of core/insight/summary/summary.h about samples.
#include <array>
#include <utility>

#include "core/insight/summary/summary.h"

namespace lanescope {

std::vector<SummarySamples> summarise_samples(const Trace& trace, const TableQuery& query) {
    constexpr std::size_t functions_listed = 3;
    const AllSamples all = all_samples(trace, query);
    std::vector<SummarySamples> kinds;
    for (const SampleKind kind : {SampleKind::cpu, SampleKind::python, SampleKind::waiting}) {
        const auto index = static_cast<std::size_t>(kind);
        if (all.by_kind[index].samples <= 0) continue;
        SummarySamples samples{kind, all.by_kind[index], all.threads[index], {}};
        for (const FunctionSamples& row : all.functions)
            if (row.function.kind == kind && row.self.samples > 0 &&
                samples.functions.size() < functions_listed)
                samples.functions.push_back(row);
        kinds.push_back(std::move(samples));
    }
    return kinds;
}

}  // namespace lanescope
