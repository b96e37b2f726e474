// CompiledChanges: what differs between the compiled code of two runs: graphs, the kernels that
// operators were fused into, guards; and, if only one run is compiled, what became of the other's
// operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/insight/compare/compiled_profile.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct GraphChange> kCompareGraphsTable;
extern const TableOf<struct FusionChange> kCompareFusionsTable;
extern const TableOf<struct GuardChange> kCompareGuardsTable;
extern const TableOf<struct OperatorOriginRow> kCompareOriginsTable;

enum class CodeChange : uint8_t { same, changed, fused, split, added, gone };
std::string_view code_change_name(CodeChange change);  // "new" for added

// Times and calls are means of a step; unknown ones are NaN.
struct GraphChange {
    CodeChange change = CodeChange::same;
    std::string function;
    std::string place;
    std::string direction;
    std::string a, b;  // names; empty: it has none
    std::optional<int64_t> kernels_a, kernels_b;
    double time_a = 0, time_b = 0;
};

// Kernels of a graph in both runs that compute the same operators, or share some.
struct FusionChange {
    CodeChange change = CodeChange::same;
    std::string function;
    std::string direction;
    std::string operators;
    std::string lines;
    std::string a, b;  // names of kernels; empty: none
    int64_t kernels_a = 0, kernels_b = 0;
    double time_a = 0, time_b = 0;
    LinkGrade grade = LinkGrade::id;
};

struct GuardChange {
    CodeChange change = CodeChange::same;  // added or gone
    ProfiledGuard guard;
};

// An operator of the run without compiled code, and the kernels that compute it in the other.
struct OperatorOrigin {
    std::string name;  // "aten::addmm"
    double eager_calls = 0;
    double eager_time = 0;
    std::vector<std::string> kernels;  // that compute it, perhaps with others
    double kernel_time = 0;            // of these kernels, whole
    double left_calls = 0;             // outside compiled graphs
    double left_time = 0;
    LinkGrade grade = LinkGrade::id;  // of the weakest link; if there are kernels
};

struct CompiledChanges {
    std::vector<GraphChange> graphs;      // differing ones first
    std::vector<FusionChange> fusions;    // of graphs in both runs; differing ones first
    std::vector<GuardChange> guards;      // only what differs
    std::vector<OperatorOrigin> origins;  // by falling time of the operators
    bool compiled_is_b = true;            // of `origins`: the compiled run
    std::vector<std::string> sentences;

    bool empty() const { return sentences.empty(); }
};

CompiledChanges compare_compiled_code(const CompiledProfile& a, const CompiledProfile& b);

Table graph_changes_table(const CompiledChanges& changes);
Table fusion_changes_table(const CompiledChanges& changes);
Table guard_changes_table(const CompiledChanges& changes);
Table operator_origins_table(const CompiledChanges& changes);

}  // namespace lanescope
