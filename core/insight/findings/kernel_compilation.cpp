// The GPU idles while a compiler makes or loads its kernels: Triton, Inductor, NVRTC, XLA and
// others, by their Python functions and annotations. What torch.compile annotates as its
// compilation belongs to `recompiles`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/slow_calls.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct KernelCompilationRule : RuleBase {
    static constexpr RuleText kText = {
        "kernel-compilation", "Kernels are compiled while the GPU waits",
        "GPU work, and Python functions (with_stack=True) or annotations of a compiler"};
    double min_share =
        ratio("min_share", 0.01,
              "idle time while a compiler makes or loads kernels, as a share of the GPU's span");

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput& input) const;
};
template FindingRule rule_of<KernelCompilationRule>();

namespace {

// A Python function that runs only when a kernel is compiled, tuned or loaded for the first time.
struct CompilerFunction {
    std::string_view path;  // the path's end, or a folder in it if it ends with a slash
    std::string_view function;
};
constexpr std::array kCompilerFunctions = {
    CompilerFunction{"triton/runtime/jit.py", "_do_compile"},
    CompilerFunction{"triton/compiler/compiler.py", "compile"},
    CompilerFunction{"triton/runtime/autotuner.py", "_bench"},
    CompilerFunction{"triton/runtime/autotuner.py", "benchmark"},
    CompilerFunction{"torch/_inductor/runtime/triton_heuristics.py", "precompile"},
    CompilerFunction{"torch/_inductor/runtime/triton_heuristics.py", "benchmark_all_configs"},
    CompilerFunction{"torch/_inductor/runtime/triton_heuristics.py", "autotune_to_one_config"},
    CompilerFunction{"torch/_inductor/runtime/triton_heuristics.py", "coordinate_descent_tuning"},
    CompilerFunction{"torch/_inductor/compile_fx.py", "compile_fx"},
    CompilerFunction{"torch/_dynamo/convert_frame.py", "_compile"},
    CompilerFunction{"torch/utils/cpp_extension.py", "_jit_compile"},
    CompilerFunction{"flashinfer/jit/core.py", "build_and_load"},
    CompilerFunction{"flashinfer/autotuner.py", "_profile_single_kernel"},
    CompilerFunction{"numba/core/dispatcher.py", "compile"},
    CompilerFunction{"numba/cuda/dispatcher.py", "compile"},
    CompilerFunction{"cupy/cuda/compiler.py", "compile_using_nvrtc"},
    CompilerFunction{"cupy/cuda/compiler.py", "_compile_module_with_cache"},
    CompilerFunction{"jax/_src/compiler.py", "backend_compile"},
    CompilerFunction{"jax/_src/compiler.py", "backend_compile_and_load"},
    CompilerFunction{"deep_gemm/jit/compiler.py", "build"},
    CompilerFunction{"tilelang/jit/", "compile"},
};
constexpr std::size_t kKernelsNamed = 3;
// Begins of annotations.
constexpr std::array<std::string_view, 3> kCompilerAnnotations = {"CachingAutotuner.", "XlaCompile",
                                                                  "backend_compile"};

// "path/jit.py" and "run" of the Python frame "path/jit.py(709): run"; empty: another name.
struct FrameName {
    std::string_view path;
    std::string_view function;
};
FrameName frame_name(std::string_view name) {
    const std::size_t bracket = name.find('(');
    const std::size_t colon = name.find("): ", bracket == std::string_view::npos ? 0 : bracket);
    if (bracket == std::string_view::npos || colon == std::string_view::npos) return {};
    return {name.substr(0, bracket), name.substr(colon + 3)};
}

bool is_at(std::string_view path, std::string_view place) {
    const std::size_t at = path.rfind(place);
    const bool is_folder = place.ends_with('/');
    if (at == std::string_view::npos || (!is_folder && at + place.size() != path.size()))
        return false;
    return at == 0 || path[at - 1] == '/' || path[at - 1] == '\\';
}

bool is_compiler_name(std::string_view name) {
    const FrameName frame = frame_name(name);
    if (frame.path.empty())
        return std::ranges::any_of(kCompilerAnnotations,
                                   [&](std::string_view begin) { return name.starts_with(begin); });
    return std::ranges::any_of(kCompilerFunctions, [&](const CompilerFunction& one) {
        return frame.function == one.function && is_at(frame.path, one.path);
    });
}

// The outermost of the calling functions of the same file: what calls the compiler also looks for
// the kernel, prepares its arguments and loads it. Not lambdas and the like, which have no name.
SliceRef with_callers(const Trace& trace, const CallTree& tree, SliceRef slice) {
    const std::string_view path = frame_name(trace.name(slice)).path;
    if (path.empty() || tree.parent.empty()) return slice;
    SliceRef outermost = slice;
    for (uint32_t at = tree.parent[slice.index]; at != CallTree::none; at = tree.parent[at]) {
        const FrameName caller = frame_name(trace.name({slice.lane, at}));
        if (caller.path != path || caller.function.starts_with('<')) break;
        outermost.index = at;
    }
    return outermost;
}

struct Compilations {
    std::vector<SliceRef> slices;  // outermost ones, on threads that launch GPU work
    Intervals by_torch_compile;    // times that `recompiles` counts
};

Compilations compilations_of(const RuleInput& input) {
    const Trace& trace = input.trace();
    std::vector<bool> launches(trace.lanes.size());
    for (const SliceRef call : input.attribution.launch)
        if (call) launches[call.lane] = true;
    const NameTest compiles(trace.strings, is_compiler_name);
    const NameTest is_annotated(trace.strings, [](std::string_view name) {
        return name.starts_with("_compile.compile_inner");
    });
    Compilations found;
    std::vector<TimeRange> annotated;
    for (const SliceRef slice : slices_named(input, is_annotated))
        annotated.push_back({trace.start(slice), trace.slice_end(slice)});
    found.by_torch_compile = merged(std::move(annotated));
    for (const SliceRef slice : slices_named(input, compiles)) {
        if (!launches[slice.lane]) continue;  // a compiler that works in the background
        const CallTree& tree = input.trees.by_lane[slice.lane];
        const SliceRef outermost = with_callers(trace, tree, slice);
        const uint32_t parent = tree.parent.empty() ? CallTree::none : tree.parent[outermost.index];
        if (parent != CallTree::none && caller_with(input, {slice.lane, parent}, compiles))
            continue;
        found.slices.push_back(outermost);
    }
    std::sort(found.slices.begin(), found.slices.end());
    found.slices.erase(std::unique(found.slices.begin(), found.slices.end()), found.slices.end());
    return found;
}

// The first kernel that begins at or after a time; empty: there is none.
std::string_view next_kernel(const Trace& trace, const DeviceWindow& device, Nanos time) {
    const auto& work = device.work->work;
    const auto next = std::ranges::lower_bound(work, time, {},
                                               [](const GpuWork& one) { return one.range.begin; });
    return next == work.end() ? std::string_view()
                              : trace.name(trace.gpu_activities.slice[next->row]);
}

// The idle time of a device during compilations on threads that launch.
struct CompilationWaits {
    Intervals idle;
    uint64_t count = 0;
    std::map<std::string_view, Nanos> by_kernel;  // by the next kernel after the idle time
    LargestPlaces places;
};

CompilationWaits waits_of_device(const RuleInput& input, const DeviceWindow& device,
                                 const Compilations& compilations, const Intervals& span) {
    const Trace& trace = input.trace();
    const Intervals idle = subtract(subtract(span, device.busy), compilations.by_torch_compile);
    CompilationWaits waits;
    std::vector<TimeRange> ranges;
    for (const SliceRef slice : compilations.slices) {
        if (!device.summary->users[trace.lanes[slice.lane].process]) continue;
        const TimeRange range{trace.start(slice), trace.slice_end(slice)};
        const Intervals inside = intersect(idle, {range});
        if (inside.empty()) continue;
        ++waits.count;
        ranges.push_back(range);
        waits.places.add(slice, range);
        waits.by_kernel[next_kernel(trace, device, inside.back().end)] += total_length(inside);
    }
    waits.idle = intersect(idle, merged(std::move(ranges)));
    return waits;
}

void describe_compilation(const RuleInput& input, const DeviceWindow& device,
                          CompilationWaits waits, Finding& finding) {
    finding.title = fmt::format(
        "The GPU idles for {} while {}", format_duration(*finding.cost),
        waits.count == 1 ? "a kernel is compiled or loaded"
                         : format_count(waits.count) + " kernels are compiled or loaded");
    const Nanos in_window = total_length(intersect(waits.idle, device.times));
    if (device.steps > 0)
        finding.evidence.push_back(duration_of("of it in steady steps", in_window, ""));
    std::vector<std::pair<std::string_view, Nanos>> longest(waits.by_kernel.begin(),
                                                            waits.by_kernel.end());
    std::ranges::stable_sort(longest, std::greater(), &std::pair<std::string_view, Nanos>::second);
    if (longest.size() > kKernelsNamed) longest.resize(kKernelsNamed);
    for (const auto& [name, time] : longest)
        if (!name.empty())
            finding.evidence.push_back(
                duration_of(fmt::format("before {}", name), time, "gaps.duration_ns"));
    finding.advice =
        "Call each kernel once with every kind of argument before the measured or served part "
        "begins; Triton compiles again for other types, constexpr values and divisibility of "
        "sizes. Keep TRITON_CACHE_DIR and TORCHINDUCTOR_CACHE_DIR between runs, and store the "
        "results of autotuning.";
    finding.places = std::move(waits.places).take(input.trace());
}

}  // namespace

Intervals compilation_idle(const RuleInput& input, const DeviceWindow& device,
                           const Intervals& times) {
    const Compilations compilations = compilations_of(input);
    if (compilations.slices.empty()) return {};
    return waits_of_device(input, device, compilations, times).idle;
}

std::vector<Finding> KernelCompilationRule::find(const RuleInput& input) const {
    const Compilations compilations = compilations_of(input);
    if (compilations.slices.empty()) return {};
    std::vector<Finding> findings;
    for (const DeviceWindow& device : input.devices) {
        if (device.length <= 0 || device.missing.hides_idle()) continue;
        Intervals span{span_of(device.work->work)};
        if (input.query.range) span = intersect(span, {*input.query.range});
        CompilationWaits waits = waits_of_device(input, device, compilations, span);
        const Nanos cost = total_length(waits.idle);
        const double share =
            static_cast<double>(cost) / static_cast<double>(std::max<Nanos>(total_length(span), 1));
        if (cost <= 0 || share < min_share) continue;
        Finding finding = finding_on(device, cost);
        finding.share = share;
        finding.severity = severity_of(share);
        finding.cost_per_step = {};  // mostly a cost of warm-up
        finding.times = intersect(waits.idle, device.times);
        if (finding.times.empty()) finding.part_of = id_of<FirstStepCostsRule>();
        describe_compilation(input, device, std::move(waits), finding);
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace lanescope
