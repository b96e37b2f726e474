// CompiledChanges: differences between the compiled code of two runs: graphs, fused kernels and
// guards. If only one run is compiled: which kernels the other run's operators became.
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

// Times (ns) and calls are means per step; NaN: unknown.
struct GraphChange {
    CodeChange change = CodeChange::same;
    std::string function;
    std::string place;
    std::string direction;
    std::string a, b;  // names of the graph; empty: not in this run
    std::optional<int64_t> kernels_a, kernels_b;
    double time_a = 0, time_b = 0;
};

// Kernels of a graph in both runs that compute the same operators, or share some of them. Times in
// ns, per step.
struct FusionChange {
    CodeChange change = CodeChange::same;
    std::string function;
    std::string direction;
    std::string operators;
    std::string lines;
    std::string a, b;  // names of the kernels; empty: none
    int64_t kernels_a = 0, kernels_b = 0;
    double time_a = 0, time_b = 0;
    LinkGrade grade = LinkGrade::id;
};

struct GuardChange {
    CodeChange change = CodeChange::same;  // added or gone
    ProfiledGuard guard;
};

// An operator of the eager run, and the kernels that compute it in the compiled run. Times (ns) and
// calls are means per step.
struct OperatorOrigin {
    std::string name;  // "aten::addmm"
    double eager_calls = 0;
    double eager_time = 0;
    std::vector<std::string> kernels;  // kernels that compute the operator, possibly with others
    double kernel_time = 0;            // total time of these kernels
    double left_calls = 0;             // calls in the compiled run outside of compiled graphs
    double left_time = 0;
    LinkGrade grade = LinkGrade::id;  // weakest link to the kernels, if there are any
};

struct CompiledChanges {
    std::vector<GraphChange> graphs;      // sorted: differing graphs first
    std::vector<FusionChange> fusions;    // of graphs in both runs; differing fusions first
    std::vector<GuardChange> guards;      // only differences
    std::vector<OperatorOrigin> origins;  // sorted by the operator's time, the longest first
    bool compiled_is_b = true;            // which run is compiled, for `origins`
    std::vector<std::string> sentences;

    bool empty() const { return sentences.empty(); }
};

CompiledChanges compare_compiled_code(const CompiledProfile& a, const CompiledProfile& b);

Table graph_changes_table(const CompiledChanges& changes);
Table fusion_changes_table(const CompiledChanges& changes);
Table guard_changes_table(const CompiledChanges& changes);
Table operator_origins_table(const CompiledChanges& changes);

}  // namespace lanescope
