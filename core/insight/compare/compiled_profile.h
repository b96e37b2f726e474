// CompiledProfile: the data of a run's compiled code that a comparison needs: graphs with their
// kernels, guards, and operators that run without compilation. Does not refer to the trace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/base/nanos.h"
#include "core/compile/compiled_code.h"

namespace lanescope {

// A call in generated code. Times and calls are means per step.
struct ProfiledKernel {
    std::string name;
    std::vector<std::string> operators;  // "aten.addmm.default", sorted
    std::vector<std::string> sources;    // texts of the Python lines; "model.py:3" without a text
    std::vector<std::string> lines;      // "model.py:3"
    LinkGrade grade = LinkGrade::id;     // grade of the link to the operators
    double time = 0;  // ns: GPU time, or time of the calls if there is no GPU work
    double calls = 0;
};

struct ProfiledGraph {
    std::string function;   // empty: unknown
    std::string place;      // "train.py:20"; empty: unknown
    std::string name;       // "0_forward in 0/1"
    std::string direction;  // "forward", "backward", "inference"; empty: unknown
    double calls = 0;
    std::vector<ProfiledKernel> kernels;
};

// A guard of a function's compiled code, a guard that failed, or a graph break.
struct ProfiledGuard {
    enum class Kind : uint8_t { guard, failed, graph_break } kind = Kind::guard;
    std::string function;
    std::string text;
    std::string place;  // empty: unknown

    friend auto operator<=>(const ProfiledGuard&, const ProfiledGuard&) = default;
};

// Calls of an operator outside of compiled graphs. Times and calls are means per step.
struct ProfiledOperator {
    std::string name;  // "aten::addmm"
    double time = 0;   // ns: GPU work launched by the operator itself; without GPUs, its self time
    double calls = 0;
};

struct CompiledProfile {
    bool runs_compiled_code = false;
    bool has_code = false;  // a log or cache of the compiler was read
    bool on_gpu = false;
    bool has_steps = false;  // else times and calls are those of the whole range
    std::vector<ProfiledGraph> graphs;
    std::vector<ProfiledGuard> guards;  // sorted, without duplicates
    std::vector<ProfiledOperator> operators;
};

// `range`: the part of the trace to profile; none: everything. `steps`: divisor of times and calls,
// at least 1.
CompiledProfile profile_compiled_code(const TraceContext& context, std::optional<TimeRange> range,
                                      std::size_t steps);

}  // namespace lanescope
