// Reads the texts that compilers write about programs: FX graphs, stacks of Python, generated code.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/compile/compiled_code.h"

namespace lanescope {

// A node of an FX graph that calls an operator.
struct FxNode {
    std::string name_of_operator;  // "aten.addmm.default"; empty: none, such as getitem
    SourceLine line;               // the innermost; `file` empty: unknown
    // The compiler put it in for others and does not know its line: that of the nodes before it.
    bool has_line_of_others = false;
};
// The nodes of a printed FX graph, by name. Comments "# File: F:L in fn, code: …" hold for the
// nodes below them; the last of several is the innermost.
std::map<std::string, FxNode, std::less<>> nodes_of_graph(std::string_view text);

// The lines of a traceback ('File "F", line L, in fn' and the code below), outermost first.
std::vector<SourceLine> lines_of_traceback(std::string_view text);

// Code that Inductor generated: the wrapper around its kernels.
struct OutputCode {
    std::string aot_id;           // "0_forward"; empty: not stated
    std::vector<CallSite> sites;  // in the order of the calls
};
OutputCode read_output_code(std::string_view text);

}  // namespace lanescope
