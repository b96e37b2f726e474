// CompiledSlice: the compiled code behind one slice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compile/compiled_code.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

struct CompiledSlice {
    std::string site;    // the call in the generated code; empty: unknown
    SourceLine code;     // the call's place in the generated code; `file` empty: unknown
    std::string opcode;  // HLO opcode; empty: not an HLO instruction
    std::vector<std::string> scopes;  // op_name paths of an HLO instruction
    std::string graph;                // "0_forward"; empty: unknown
    std::string compile_id;           // empty: unknown
    std::string function;
    std::vector<std::string> operators;
    std::vector<SourceLine> lines;
    LinkGrade grade = LinkGrade::guess;  // of the weakest link to operators and lines
};

// Describes a GPU activity, an operator or launch in a call of a compiled graph, or the call of the
// graph. Returns nothing for other slices.
std::optional<CompiledSlice> compiled_slice(const TraceContext& context, SliceRef slice);

}  // namespace lanescope
