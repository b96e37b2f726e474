// Reads what a compiler states about the origin of its code, and why it compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/compile/compiled_code.h"

namespace lanescope {

// Texts about one graph; each may be empty.
struct GraphTexts {
    std::string_view post_grad;  // the FX graph behind the passes
    std::string_view mappings;   // from calls of generated code to its nodes, JSON
    std::string_view stacks;     // of calls of generated code, JSON
};
// Fills the nodes, operators and lines of the graph's call sites: by their handles, else by names
// that are unique in the graph.
void add_provenance(CompiledGraph& graph, const GraphTexts& texts);

// Reads "Graph break in user code at F:L" with reason, explanation, hints and traceback.
GraphBreak read_graph_break(std::string_view text);

// Reads "0/1: guard  # code  # F:L in fn".
FailedGuard read_failed_guard(std::string_view text);

// Reads the guards of a printed guard tree, in order, without object addresses, which differ in
// every process. Returns at most 4096 guards, each cut to 300 bytes.
std::vector<std::string> read_guard_tree(std::string_view text);

}  // namespace lanescope
