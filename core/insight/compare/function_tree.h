// FunctionTree: what a program does in a step, as a tree of its functions, with the time of each in
// every step. Does not refer to the trace, so that a comparison of many runs needs only one trace
// at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/trace/slice.h"

namespace lanescope {

enum class FunctionKind : uint8_t {
    step,       // the root: outside of all functions
    module,     // a call of nn.Module
    call,       // an annotation or another call that is no operator
    op,         // an operator; runtime calls and kernels inside belong to it
    runtime,    // a runtime or driver call outside of operators
    kernel,     // a kernel, copy or set that was launched outside of operators
    no_launch,  // the same, without a recorded launch
};

// Equal siblings are one function: it has as many calls.
struct FunctionNode {
    FunctionKind kind = FunctionKind::step;
    uint32_t parent = 0;  // smaller than its own index
    // For comparison across traces: hashes of the name, of the name without the number of an
    // instance ("nn.Module: Linear_3"), and of the shapes (0: shapes do not distinguish functions).
    uint64_t label = 0;
    uint64_t base = 0;
    uint64_t shape = 0;
    std::string name;
    std::string shapes;              // as in the file
    Nanos first = 0;                 // begin of its first call, from the begin of the step
    std::vector<uint32_t> children;  // by `first`
    SliceRef longest;
};

// What a function did in one step. The times of all functions in a step add up to the step.
struct FunctionShare {
    uint32_t step = 0;  // index of the sample
    uint32_t calls = 0;
    Nanos gpu = 0;   // its work ran, and no work of higher rank or before
    Nanos host = 0;  // the GPU had nothing to do, and the host was in this function
    Nanos time() const { return gpu + host; }
};

// A kernel, runtime call or Python function inside a function, by its time in all steps.
struct FunctionPart {
    std::shared_ptr<const std::string> name;  // equal names of a tree share it
    Nanos time = 0;
};

// Adds times by name.
void add_parts(std::vector<FunctionPart>& to, const std::vector<FunctionPart>& from);

struct FunctionTree {
    std::vector<FunctionNode> nodes;  // [0] is the step
    std::vector<FunctionShare> shares;
    std::vector<uint32_t> first_share = {0};       // of node i: [i], [i + 1]
    std::vector<std::vector<FunctionPart>> parts;  // by node; the longest few, longest first

    std::span<const FunctionShare> shares_of(uint32_t node) const {
        return std::span(shares).subspan(first_share[node],
                                         first_share[node + 1] - first_share[node]);
    }
};

// A step whose time is divided among functions.
struct SampledStep {
    uint32_t process = 0;  // row of Trace::processes
    TimeRange range;       // the time that is divided; on the device if the host runs ahead
    TimeRange host;        // of the calls that belong to the step
    LaneId lane = SliceRef::no_index;  // the thread that runs the loop, if known
};

// Functions with all that distinguishes them. `steps`: by process and time, without overlaps.
// `marks`: annotations that only say where a step is.
FunctionTree make_function_tree(const TraceContext& context, std::span<const SampledStep> steps,
                                std::span<const StringId> marks);

// The properties that distinguish functions. A property that only one of two traces has
// recorded cannot distinguish them.
struct FunctionLevels {
    bool modules = true;
    bool shapes = true;
};
// Functions that the levels do not distinguish become one. Shapes that change from step to step
// distinguish none either.
FunctionTree merged_functions(const FunctionTree& tree, FunctionLevels levels);

}  // namespace lanescope
