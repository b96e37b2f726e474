// CompiledProfile: what a comparison needs of the compiled code of a run: its graphs and their
// kernels, its guards, and the operators that run without compilation. Does not refer to the trace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/base/nanos.h"
#include "core/compile/compiled_code.h"

namespace lanescope {

// A call in generated code. Times and calls are means of a step.
struct ProfiledKernel {
    std::string name;
    std::vector<std::string> operators;  // "aten.addmm.default", sorted
    std::vector<std::string> sources;    // the texts of its Python lines, else "model.py:3"
    std::vector<std::string> lines;      // "model.py:3"
    LinkGrade grade = LinkGrade::id;     // of the operators
    double time = 0;                     // ns, of GPUs; without GPUs, of calls
    double calls = 0;
};

struct ProfiledGraph {
    std::string function;   // empty: not known
    std::string place;      // "train.py:20"; empty: not known
    std::string name;       // "0_forward in 0/1"
    std::string direction;  // "forward", "backward", "inference"; empty: not known
    double calls = 0;
    std::vector<ProfiledKernel> kernels;
};

// What a function's compiled code depends on, and what broke it.
struct ProfiledGuard {
    enum class Kind : uint8_t { guard, failed, graph_break } kind = Kind::guard;
    std::string function;
    std::string text;
    std::string place;  // empty: not known

    friend auto operator<=>(const ProfiledGuard&, const ProfiledGuard&) = default;
};

// Calls of an operator outside compiled graphs. Times and calls are means of a step.
struct ProfiledOperator {
    std::string name;  // "aten::addmm"
    double time = 0;   // ns, of the GPU work that it launched itself; without GPUs, its own time
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

// `range`: what counts; none: everything. `steps`: by which times and calls are divided, at
// least 1.
CompiledProfile profile_compiled_code(const TraceContext& context, std::optional<TimeRange> range,
                                      std::size_t steps);

}  // namespace lanescope
