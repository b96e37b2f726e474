// CompiledPrograms: the parts of a trace that run compiled code, joined with what the compiler
// left behind about that code (core/compile/compiled_code.h). Each link states its grade.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/compile/compiled_code.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// A call of a compiled frame: "Torch-Compiled Region: 0/1".
struct CompiledRegion {
    SliceRef slice;
    CompileId id;
    uint32_t around = kNoRow;  // place of the region that this one runs in
    Nanos own = 0;             // without regions and compilations inside
};

// A compilation that the trace recorded: "_compile.compile_inner (dynamo_timed)".
struct RecordedCompile {
    SliceRef slice;
    CompileId id;
};

// A call of a compiled graph: "## Call CompiledFxGraph KEY ##".
struct GraphCall {
    SliceRef slice;
    std::string_view key;             // empty: the caches were off
    CompileId id;                     // unknown if neither a region nor a log tells
    uint32_t graph = kNoRow;          // place in CompiledCode::graphs
    LinkGrade grade = LinkGrade::id;  // of `graph`
};

// A kernel or operator that a compiled graph calls.
struct SiteCall {
    SliceRef slice;                   // the operator, or the launching call
    std::string_view name;            // of the operator; of a launching call, the kernel's
    uint32_t graph_call = kNoRow;     // index in CompiledPrograms::calls; kNoRow: not recorded
    uint32_t graph = kNoRow;          // index in CompiledCode::graphs; kNoRow: unknown
    uint32_t site = kNoRow;           // place in CompiledGraph::sites
    LinkGrade grade = LinkGrade::id;  // of the whole chain up to the site
    Nanos gpu_time = 0;               // of what it launched
    uint64_t kernels = 0;             // that it launched
};

// A GPU activity of generated code without a recorded graph call, or whose call site is stated by
// the file.
struct LooseKernel {
    uint32_t row = 0;         // of Trace::gpu_activities
    uint32_t graph = kNoRow;  // known if only one graph has a kernel of this name
    uint32_t site = kNoRow;
    LinkGrade grade = LinkGrade::name;
};

struct CompiledPrograms {
    CompiledCodePtr code;  // never null; empty without artefacts
    std::vector<CompiledRegion> regions;
    std::vector<RecordedCompile> compiles;
    std::vector<GraphCall> calls;
    std::vector<SiteCall> sites;     // by slice
    std::vector<LooseKernel> loose;  // by row
    // By row of Trace::gpu_activities: the place in `sites` of the call that launched it; kNoRow:
    // none. Empty: no call did.
    std::vector<uint32_t> call_of_row;
    bool on_gpu = false;  // times of kernels are those of GPUs; else of calls on CPUs

    bool empty() const {
        return regions.empty() && calls.empty() && loose.empty() && code->empty();
    }
    const CallSite* site_of(const SiteCall& call) const;
    const CallSite* site_of(const LooseKernel& kernel) const;
    // The ID of the compilation that made the call's graph; fields that are not known are -1.
    CompileId id_of(const SiteCall& call) const;
    // The place in `sites` of a call; kNoRow: it is none.
    uint32_t call_at(SliceRef slice) const;
    // The kernel time of a call.
    Nanos time_of(const Trace& trace, const SiteCall& call) const {
        return on_gpu ? call.gpu_time : trace.duration(call.slice);
    }

    static CompiledPrograms compute(const TraceContext& context);
};

// Whether a kernel's name says that a compiler generated it: "triton_poi_fused_add_0".
bool is_generated_kernel(std::string_view name);
// The operators in such a name, as far as names tell: "add_relu" of "triton_poi_fused_add_relu_0".
std::string_view fused_names(std::string_view kernel);

}  // namespace lanescope
