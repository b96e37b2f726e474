#include "core/analysis/structure/kernel_families.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/analysis/context.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"

namespace lanescope {

namespace {

// Caches the families of names.
class FamiliesOfNames {
  public:
    FamiliesOfNames(const Trace& trace, KernelFamily (*family_of)(std::string_view))
        : trace_(trace), family_of_(family_of), known_(trace.strings.size()) {}

    KernelFamily of(StringId name) {
        if (!known_[name]) known_[name] = family_of_(trace_.strings[name]);
        return *known_[name];
    }

  private:
    const Trace& trace_;
    KernelFamily (*family_of_)(std::string_view);
    std::vector<std::optional<KernelFamily>> known_;
};

}  // namespace

KernelFamily KernelFamilies::of(const Trace& trace, std::span<const uint32_t> rows) const {
    std::array<Nanos, kKernelFamilies> times{};
    for (const uint32_t row : rows)
        times[static_cast<std::size_t>(by_row[row])] +=
            trace.duration(trace.gpu_activities.slice[row]) + 1;  // 1: the rows may take no time
    return static_cast<KernelFamily>(std::ranges::max_element(times) - times.begin());
}

KernelFamilies KernelFamilies::compute(const TraceContext& context) {
    const Trace& trace = context.trace();
    const auto& slices = trace.gpu_activities.slice;
    FamiliesOfNames kernels(trace, family_of_kernel);
    FamiliesOfNames operators(trace, family_of_operator);
    KernelFamilies result;
    result.by_row.reserve(slices.size());
    for (uint32_t row = 0; row < slices.size(); ++row) {
        KernelFamily family = KernelFamily::copy;
        if (const EventClass kind = trace.event_class(slices[row]);
            kind == EventClass::communication)
            family = KernelFamily::communication;
        else if (kind != EventClass::memory)
            family = kernels.of(trace.name_id(slices[row]));
        if (family == KernelFamily::other)
            for (const SliceRef call :
                 calls_to(context.get<Attribution>(), context.get<CallTrees>().by_lane, row)) {
                if (trace.event_class(call) != EventClass::op) continue;
                family = operators.of(trace.name_id(call));
                if (family != KernelFamily::other) break;
            }
        result.by_row.push_back(family);
    }
    return result;
}

}  // namespace lanescope
