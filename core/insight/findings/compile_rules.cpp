// Three rules about torch.compile, from its annotations in the trace: compilation while the program
// runs, calls that are compiled in pieces, and the time to find the compiled code.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/analysis/compile/compiled_programs.h"
#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct RecompilesRule : RuleBase {
    static constexpr RuleText kText = {"recompiles",
                                       "torch.compile compiles while the program runs",
                                       "annotations of torch.compile"};
    double min_share =
        ratio("min_share", 0.01, "time in which the compiler works, as a share of the trace");

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput& input) const;
};
template FindingRule rule_of<RecompilesRule>();

struct GraphBreaksRule : RuleBase {
    static constexpr RuleText kText = {"graph-breaks", "Compiled functions break",
                                       "annotations of torch.compile"};

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput& input) const;
};
template FindingRule rule_of<GraphBreaksRule>();

struct LookupCostRule : RuleBase {
    static constexpr RuleText kText = {"lookup-cost", "Finding compiled code takes time",
                                       "annotations of torch.compile"};
    double min_share =
        ratio("min_share", 0.02,
              "time in which torch.compile looks for compiled code, as a share of the trace");

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput& input) const;
};
template FindingRule rule_of<LookupCostRule>();

namespace {

constexpr std::string_view kRegion = "Torch-Compiled Region: ";

// The frame and the number of its compilation: {1, 0} for "Torch-Compiled Region: 1/0".
std::optional<std::pair<int, int>> region_of(std::string_view name) {
    if (!name.starts_with(kRegion)) return {};
    name.remove_prefix(kRegion.size());
    std::pair<int, int> region;
    const char* const end = name.data() + name.size();
    const auto frame = std::from_chars(name.data(), end, region.first);
    if (frame.ec != std::errc() || frame.ptr == end || *frame.ptr != '/') return {};
    const auto compilation = std::from_chars(frame.ptr + 1, end, region.second);
    if (compilation.ec != std::errc()) return {};
    return region;
}

// The time of slices, and of the trace or the query's range.
struct HostShare {
    Nanos time = 0;
    double share = 0;
};
HostShare share_of_slices(const RuleInput& input, const std::vector<SliceRef>& slices) {
    const Trace& trace = input.trace();
    std::vector<TimeRange> ranges;
    ranges.reserve(slices.size());
    for (const SliceRef slice : slices)
        ranges.push_back({trace.start(slice), trace.slice_end(slice)});
    const TimeRange all =
        input.query.range ? *input.query.range : TimeRange{trace.origin, trace.end};
    HostShare host;
    host.time = total_length(merged(std::move(ranges)));
    host.share =
        all.length() > 0
            ? std::min(1.0, static_cast<double>(host.time) / static_cast<double>(all.length()))
            : 0;
    return host;
}

// A finding about the host: it belongs to no GPU.
Finding host_finding(const HostShare& host, const Trace& trace,
                     const std::vector<SliceRef>& slices) {
    Finding finding;
    finding.cost = host.time;
    finding.share = host.share;
    finding.severity = severity_of(host.share);
    for (const SliceRef slice : slices) finding.places.push_back(place_of(trace, slice));
    keep_largest(finding.places);
    return finding;
}

constexpr std::size_t kMostReasons = 3;

// Adds the guards that failed, the most frequent first, if the compiler's log names them.
void add_failed_guards(const CompiledCode& code, Finding& finding) {
    std::map<std::string, int64_t> guards;
    for (const FailedGuard& one : code.failed_guards) {
        std::string text = one.guard;
        if (!one.place.file.empty()) text += fmt::format(" ({})", short_place(one.place));
        ++guards[std::move(text)];
    }
    std::vector<std::pair<std::string, int64_t>> sorted(guards.begin(), guards.end());
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, int64_t>::second);
    if (sorted.size() > kMostReasons) sorted.resize(kMostReasons);
    for (const auto& [text, count] : sorted)
        finding.evidence.push_back(
            {"guard that failed: " + text, static_cast<double>(count), "count", ""});
}

// Adds the functions that could not be compiled.
void add_failures(const CompiledCode& code, Finding& finding) {
    for (const Compilation& one : code.compiles)
        if (!one.failure.empty() && finding.evidence.size() < 2 * kMostReasons)
            finding.evidence.push_back(
                remark(fmt::format("the compilation of {} failed: {}", one.function,
                                   one.failure.substr(0, one.failure.find(" raised:\n")))));
}

// Adds whether the next run can reuse the compiled code.
void add_cache_use(const CompiledPrograms& programs, Finding& finding) {
    const auto missed = std::ranges::count(programs.code->graphs, "miss", &CompiledGraph::cache);
    if (missed > 0)
        finding.evidence.push_back(
            {"graphs that the cache did not have", static_cast<double>(missed), "count", ""});
    const auto without = std::ranges::count_if(
        programs.calls, [](const GraphCall& call) { return call.key.empty(); });
    if (without > 0)
        finding.evidence.push_back({"calls of graphs while the caches were off",
                                    static_cast<double>(without), "count", ""});
}

// Adds the breaks, if the compiler's log names them.
void add_breaks(const CompiledCode& code, Finding& finding) {
    for (std::size_t i = 0; i < std::min(kMostReasons, code.breaks.size()); ++i) {
        const GraphBreak& one = code.breaks[i];
        std::string text = fmt::format("{}: {}", short_place(one.place), one.reason);
        if (!one.place.code.empty()) text += fmt::format(" ({})", one.place.code);
        finding.evidence.push_back(remark(text));
    }
}

// Compilations of frames: from names in the profile, or else from the compiler's log.
std::vector<SliceRef> compilations(const RuleInput& input) {
    const auto named = [&](std::string_view phase) {
        return slices_named(input, NameTest(input.trace().strings, [phase](std::string_view name) {
                                return name.starts_with(phase) &&
                                       (name.size() == phase.size() || name[phase.size()] == ' ');
                            }));
    };
    std::vector<SliceRef> found = named("_compile.compile_inner");
    if (!found.empty()) return found;
    found = named("entire_frame_compile");
    for (const SliceRef backward : named("entire_backward_compile")) found.push_back(backward);
    return found;
}

}  // namespace

std::vector<Finding> RecompilesRule::find(const RuleInput& input) const {
    const Trace& trace = input.trace();
    const std::vector<SliceRef> slices = compilations(input);
    const HostShare host = share_of_slices(input, slices);
    if (slices.empty() || host.share < min_share) return {};
    std::set<std::pair<int, int>> again;
    const NameTest repeats(trace.strings, [](std::string_view name) {
        const auto region = region_of(name);
        return region && region->second > 0;
    });
    for (const SliceRef slice : slices_named(input, repeats))
        again.insert(*region_of(trace.name(slice)));
    Finding finding = host_finding(host, trace, slices);
    finding.title = fmt::format("torch.compile compiles for {} in {}", format_duration(host.time),
                                format_count(slices.size(), "compilation", "compilations"));
    finding.evidence = {{"compilations", static_cast<double>(slices.size()), "count", ""}};
    if (!again.empty())
        finding.evidence.push_back(
            {"code that was compiled again for other inputs (regions n/1, n/2, …)",
             static_cast<double>(again.size()), "count", ""});
    const auto& programs = input.context.get<CompiledPrograms>();
    add_failures(*programs.code, finding);
    add_failed_guards(*programs.code, finding);
    add_cache_use(programs, finding);
    finding.advice =
        "Compile before you measure: let two steps of warm-up pass, keep the compiler's cache "
        "between runs, and mark sizes that vary (torch._dynamo.mark_dynamic, dynamic=True).";
    if (!again.empty() && programs.code->failed_guards.empty())
        finding.advice += " TORCH_LOGS=recompiles names the guard that failed.";
    return {finding};
}

std::vector<Finding> GraphBreaksRule::find(const RuleInput& input) const {
    const Trace& trace = input.trace();
    const NameTest is_region(trace.strings,
                             [](std::string_view name) { return region_of(name).has_value(); });
    // What follows a break is compiled as another frame, and runs inside the first one.
    std::vector<SliceRef> inner;
    std::set<int> frames;
    for (const SliceRef slice : slices_named(input, is_region)) {
        const CallTree& tree = input.trees.by_lane[slice.lane];
        const uint32_t parent = tree.parent[slice.index];
        if (parent == CallTree::none) continue;
        if (!caller_with(input, {slice.lane, parent}, is_region)) continue;
        inner.push_back(slice);
        frames.insert(region_of(trace.name(slice))->first);
    }
    const CompiledCode& code = *input.context.get<CompiledPrograms>().code;
    if (inner.empty() && code.breaks.empty()) return {};
    const HostShare host = share_of_slices(input, inner);
    Finding finding = host_finding(host, trace, inner);
    finding.cost.reset();
    finding.share = 0;
    finding.cost_kind = CostKind::none;
    finding.severity = Severity::low;
    if (inner.empty()) {
        finding.title =
            fmt::format("{} in compiled functions",
                        format_count(code.breaks.size(), "graph break", "graph breaks"));
    } else {
        finding.title = fmt::format("{} of compiled functions run as separate regions",
                                    format_count(frames.size(), "part", "parts"));
        finding.evidence = {
            {"regions inside another region", static_cast<double>(inner.size()), "count", ""},
            {"their time on the host", static_cast<double>(host.time), "ns", "slices.total_ns"},
        };
    }
    add_breaks(code, finding);
    finding.advice =
        "Each break returns to Python and prevents fusion across it: TORCH_LOGS=graph_breaks or "
        "torch.compile(fullgraph=True) names the line. Usual causes are print(), .item(), and "
        "calls into libraries that the compiler does not know.";
    return {finding};
}

std::vector<Finding> LookupCostRule::find(const RuleInput& input) const {
    const NameTest looks(input.trace().strings, [](std::string_view name) {
        return name.starts_with("TorchDynamo Cache Lookup");
    });
    const auto slices = slices_named(input, looks);
    const HostShare host = share_of_slices(input, slices);
    if (slices.empty() || host.share < min_share) return {};
    Finding finding = host_finding(host, input.trace(), slices);
    finding.title =
        fmt::format("torch.compile looks for compiled code for {}", format_duration(host.time));
    finding.evidence = {
        {"lookups", static_cast<double>(slices.size()), "count", "slices.calls"},
        {"mean duration", static_cast<double>(host.time) / static_cast<double>(slices.size()), "ns",
         "slices.mean_ns"}};
    finding.advice =
        "Each call of a compiled function checks its guards. Compile a larger part of the program "
        "as one function, avoid many versions of one function (recompilations), and pass fewer "
        "objects that need guards.";
    return {finding};
}

}  // namespace lanescope
