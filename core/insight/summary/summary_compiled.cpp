// The part of core/insight/summary/summary.h about torch.compile.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "core/analysis/structure/lane_view.h"
#include "core/base/intervals.h"
#include "core/insight/summary/summary.h"

namespace lanescope {

namespace {

constexpr std::string_view kRegion = "Torch-Compiled Region";
// What runs before the compiled code in each call: PyTorch's own annotations.
constexpr std::array<std::string_view, 3> kPrologues = {
    "TorchDynamo Cache Lookup", "Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue"};

enum class Of : uint8_t { other, region, prologue };

std::vector<Of> kinds_of_names(const Trace& trace) {
    std::vector<Of> kinds(trace.strings.size(), Of::other);
    for (StringId id = 0; id < kinds.size(); ++id) {
        const std::string_view name = trace.strings[id];
        if (name.starts_with(kRegion)) kinds[id] = Of::region;
        if (std::ranges::find(kPrologues, name) != kPrologues.end()) kinds[id] = Of::prologue;
    }
    return kinds;
}

}  // namespace

std::string_view fused_operators(std::string_view kernel) {
    constexpr std::string_view kTriton = "triton_";
    constexpr std::string_view kFused = "_fused_";
    const std::size_t at = kernel.find(kFused);
    if (!kernel.starts_with(kTriton) || at == std::string_view::npos) return {};
    std::string_view operators = kernel.substr(at + kFused.size());
    // "add_relu_3": the number of the kernel.
    const std::size_t number = operators.rfind('_');
    if (number != std::string_view::npos &&
        operators.find_first_not_of("0123456789", number + 1) == std::string_view::npos)
        operators = operators.substr(0, number);
    return operators;
}

SummaryCompiled summarise_compiled(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    SummaryCompiled compiled;
    const std::vector<Of> kinds = kinds_of_names(trace);
    const bool any =
        std::ranges::find_if(kinds, [](Of kind) { return kind != Of::other; }) != kinds.end();
    std::vector<TimeRange> prologues;
    for (const Lane& lane : trace.lanes) {
        if (!any || lane.kind != LaneKind::thread) continue;
        const LaneView view(lane);
        for (uint32_t i = 0; i < view.size(); ++i) {
            const Of kind = kinds[view.name(i)];
            if (kind == Of::other || !query.has(view.start(i))) continue;
            if (kind == Of::region) ++compiled.regions;
            if (kind == Of::region) continue;
            ++compiled.prologues;
            prologues.push_back({view.start(i), view.end(i)});
        }
    }
    compiled.prologue_time = total_length(merged(std::move(prologues)));
    std::map<StringId, Nanos> generated;
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        if (!query.has_work(row, trace.start(slice)) ||
            trace.event_class(slice) == EventClass::memory)
            continue;
        ++compiled.kernels;
        compiled.kernel_time += trace.duration(slice);
        if (fused_operators(trace.name(slice)).empty()) continue;
        ++compiled.generated;
        compiled.generated_time += trace.duration(slice);
        generated[trace.name_id(slice)] += trace.duration(slice);
    }
    if (!generated.empty())
        compiled.longest = std::ranges::max_element(generated, {}, [](const auto& one) {
                               return one.second;
                           })->first;
    return compiled;
}

}  // namespace lanescope
