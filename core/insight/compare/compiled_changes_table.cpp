// Tables of the differences between the compiled code of two runs.
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/compile/compiled_work.h"
#include "core/insight/compare/compiled_changes.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

constexpr std::string_view kNoFunction = "no log tells, as of a cache alone";
constexpr std::string_view kNotRun = "it did not run in the steps, or its time is not recorded";
constexpr std::string_view kNotIn = "that run has none";

std::string_view kind_name(ProfiledGuard::Kind kind) {
    switch (kind) {
        case ProfiledGuard::Kind::guard:
            return "guard";
        case ProfiledGuard::Kind::failed:
            return "failed guard";
        case ProfiledGuard::Kind::graph_break:
            return "graph break";
    }
    return "";
}

constexpr auto kGraphChangeColumns = columns<GraphChange>({
    {{"change", Unit::none, kDistinct, "",
      "same: the kernels compute the same operators. changed: others. new, gone: only in B, only "
      "in A."},
     [](const GraphChange& row) { return code_change_name(row.change); }},
    {{"function", Unit::none, kDistinct, kNoFunction, "The compiled function."},
     [](const GraphChange& row) { return known_text(row.function); }},
    {{"direction", Unit::none, kDistinct, "the code does not say", "forward, backward, inference."},
     [](const GraphChange& row) { return known_text(row.direction); }},
    {{"a", Unit::none, kDistinct, kNotIn, "The graph in A, and its compilation."},
     [](const GraphChange& row) { return known_text(row.a); }},
    {{"b", Unit::none, kDistinct, kNotIn, "The graph in B, and its compilation."},
     [](const GraphChange& row) { return known_text(row.b); }},
    {{"a_kernels", Unit::count, kSum, kNotIn, "Calls of kernels and operators in its code in A."},
     [](const GraphChange& row) { return row.kernels_a; }},
    {{"b_kernels", Unit::count, kSum, kNotIn, "The same in B."},
     [](const GraphChange& row) { return row.kernels_b; }},
    {{"a_ns", Unit::nanoseconds, kNoAggregate, kNotRun,
      "Kernel time in A, the mean of a step; without GPUs, of the recorded calls of kernels."},
     [](const GraphChange& row) { return row.time_a; }},
    {{"b_ns", Unit::nanoseconds, kNoAggregate, kNotRun, "The same in B."},
     [](const GraphChange& row) { return row.time_b; }},
    {on_request({"place", Unit::none, kDistinct, kNoFunction, "Where the function begins."}),
     [](const GraphChange& row) { return known_text(row.place); }},
});

constexpr auto kFusionChangeColumns = columns<FusionChange>({
    {{"change", Unit::none, kDistinct, "",
      "same: one kernel computes these operators in both. fused, split: fewer or more kernels in "
      "B. changed: others. new, gone: only in B, only in A."},
     [](const FusionChange& row) { return code_change_name(row.change); }},
    {{"operators", Unit::none, kDistinct, "not known", "The operators that the kernels compute."},
     [](const FusionChange& row) { return known_text(row.operators); }},
    {{"a", Unit::none, kDistinct, kNotIn, "The kernels in A."},
     [](const FusionChange& row) { return known_text(row.a); }},
    {{"b", Unit::none, kDistinct, kNotIn, "The kernels in B."},
     [](const FusionChange& row) { return known_text(row.b); }},
    {{"a_ns", Unit::nanoseconds, kNoAggregate, kNotRun, "Their time in A, the mean of a step."},
     [](const FusionChange& row) { return row.time_a; }},
    {{"b_ns", Unit::nanoseconds, kNoAggregate, kNotRun, "The same in B."},
     [](const FusionChange& row) { return row.time_b; }},
    {{"lines", Unit::none, kDistinct, "no log tells", "The Python lines that they compute."},
     [](const FusionChange& row) { return known_text(row.lines); }},
    {{"grade", Unit::none, kDistinct, "",
      "How sure the operators are, as the weakest link: id, nest, order, name, time or guess."},
     [](const FusionChange& row) { return grade_name(row.grade); }},
    {{"function", Unit::none, kDistinct, kNoFunction, "The compiled function."},
     [](const FusionChange& row) { return known_text(row.function); }},
    {{"direction", Unit::none, kDistinct, "the code does not say", "forward, backward, inference."},
     [](const FusionChange& row) { return known_text(row.direction); }},
    {on_request({"a_kernels", Unit::count, kSum, "", "Number of kernels in A."}),
     [](const FusionChange& row) { return row.kernels_a; }},
    {on_request({"b_kernels", Unit::count, kSum, "", "Number of kernels in B."}),
     [](const FusionChange& row) { return row.kernels_b; }},
});

constexpr auto kGuardChangeColumns = columns<GuardChange>({
    {{"change", Unit::none, kDistinct, "", "new, gone: only in B, only in A."},
     [](const GuardChange& row) { return code_change_name(row.change); }},
    {{"kind", Unit::none, kDistinct, "",
      "guard: compiled code is valid only if it holds. failed guard: it did not, so that the "
      "function was compiled again. graph break: the compiler gave up there."},
     [](const GuardChange& row) { return kind_name(row.guard.kind); }},
    {{"function", Unit::none, kDistinct, kNoFunction, "The compiled function."},
     [](const GuardChange& row) { return known_text(row.guard.function); }},
    {{"text", Unit::none, kDistinct, "", "The guard, or the reason of the break."},
     [](const GuardChange& row) { return std::string_view(row.guard.text); }},
    {{"place", Unit::none, kDistinct, "not recorded", "The Python line."},
     [](const GuardChange& row) { return known_text(row.guard.place); }},
});

}  // namespace

struct OperatorOriginRow {
    const OperatorOrigin& origin;
    std::string kernels = joined(origin.kernels);

    // NaN if the operator has no kernels.
    double of_kernels(double value) const {
        return origin.kernels.empty() ? std::numeric_limits<double>::quiet_NaN() : value;
    }
};

namespace {

constexpr std::string_view kNoKernel = "no recorded kernel computes it";

constexpr auto kOriginColumns = columns<OperatorOriginRow>({
    {{"operator", Unit::none, kDistinct, "",
      "An operator of the run without compiled code; or operators that only compiled kernels "
      "have."},
     [](const OperatorOriginRow& row) { return std::string_view(row.origin.name); }},
    {{"calls_per_step", Unit::none, kNoAggregate, "", "Its calls in that run, the mean of a step."},
     [](const OperatorOriginRow& row) { return row.origin.eager_calls; }},
    {{"time_ns", Unit::nanoseconds, kSum, "",
      "Time of the GPU work that it launched itself, the mean of a step; without GPUs, its own "
      "time."},
     [](const OperatorOriginRow& row) { return row.origin.eager_time; }},
    {{"kernels", Unit::none, kDistinct, kNoKernel,
      "The kernels of the compiled run that compute it, alone or with other operators."},
     [](const OperatorOriginRow& row) { return known_text(row.kernels); }},
    {{"kernel_time_ns", Unit::nanoseconds, kNoAggregate, kNoKernel,
      "Time of these kernels, the mean of a step. A kernel of several operators counts whole for "
      "each of them."},
     [](const OperatorOriginRow& row) { return row.of_kernels(row.origin.kernel_time); }},
    {{"left_calls", Unit::none, kNoAggregate, "",
      "Its calls outside compiled graphs in the compiled run, the mean of a step."},
     [](const OperatorOriginRow& row) { return row.origin.left_calls; }},
    {{"left_ns", Unit::nanoseconds, kSum, "", "Their time."},
     [](const OperatorOriginRow& row) { return row.origin.left_time; }},
    {{"grade", Unit::none, kDistinct, kNoKernel,
      "How sure it is that the kernels compute it, as the weakest link: id, nest, order, name, "
      "time or guess (from the kernel's name)."},
     [](const OperatorOriginRow& row) {
         return row.kernels.empty() ? std::nullopt : std::optional(grade_name(row.origin.grade));
     }},
});

}  // namespace

const TableOf<GraphChange> kCompareGraphsTable = {
    {"compare", "Graphs of compiled code that two runs have, and one of them alone.", "graphs"},
    kGraphChangeColumns};

const TableOf<FusionChange> kCompareFusionsTable = {
    {"compare", "Kernels that operators were compiled into, in both runs.", "fusions"},
    kFusionChangeColumns};

const TableOf<GuardChange> kCompareGuardsTable = {
    {"compare", "Guards, failed guards and graph breaks that only one of two runs has.", "guards"},
    kGuardChangeColumns};

const TableOf<OperatorOriginRow> kCompareOriginsTable = {
    {"compare", "Operators of a run, and the kernels that they became in a compiled run.",
     "origins"},
    kOriginColumns};

Table graph_changes_table(const CompiledChanges& changes) {
    TableBuilder table(kCompareGraphsTable);
    for (const GraphChange& row : changes.graphs) table.add(row);
    return table.take();
}

Table fusion_changes_table(const CompiledChanges& changes) {
    TableBuilder table(kCompareFusionsTable);
    for (const FusionChange& row : changes.fusions) table.add(row);
    return table.take();
}

Table guard_changes_table(const CompiledChanges& changes) {
    TableBuilder table(kCompareGuardsTable);
    for (const GuardChange& row : changes.guards) table.add(row);
    return table.take();
}

Table operator_origins_table(const CompiledChanges& changes) {
    TableBuilder table(kCompareOriginsTable);
    for (const OperatorOrigin& origin : changes.origins) table.add({origin});
    return table.take();
}

}  // namespace lanescope
