// What-if: how long steps would take if kernels or operators took less, or were launched for free.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/dependency_graph.h"
#include "core/analysis/tables.h"
#include "core/base/result.h"

namespace lanescope {

extern const TableSpec kWhatIfTable;

enum class ChangeKind : uint8_t {
    faster,       // takes its time ÷ factor
    fused,        // vanishes: with its launch call, launch and the gap before it
    launch_free,  // its launch call and launch take no time
    graph,        // nothing on the CPU inside operators and calls takes time, nor does any launch
};
std::string_view change_name(ChangeKind kind);

struct Change {
    ChangeKind kind = ChangeKind::faster;
    double factor = 2;                 // of `faster`: above 0, infinite too
    std::vector<uint32_t> activities;  // rows of Trace::gpu_activities
    std::vector<SliceRef> calls;       // operators: with all that they call
};

// When each node of the graph would be reached; with a change of nothing, as recorded. What nothing
// leads to keeps its time.
std::vector<Nanos> replay(const TraceContext& context, const Change& change);

struct WhatIf {
    std::size_t steps = 0;
    double step_ns = 0;      // mean, as recorded
    double new_step_ns = 0;  // mean, with the change
    double path_ns = 0;      // mean of what of the steps' critical paths is of the change
    double saved_ns() const { return step_ns - new_step_ns; }
};
// Over the steps that begin in the range; the change is of all of the trace.
WhatIf what_if(const TraceContext& context, const TableQuery& query, const Change& change);

// What the file does not tell and the answers lack; empty: nothing.
std::string missing_edges(const TraceContext& context);

// All kernels, copies and sets of the trace whose name fits a regular expression; or operators,
// with what they launched. Errors: a wrong expression, or nothing fits.
enum class ChangeOf : uint8_t { kernels, operators };
Result<Change> change_of(const TraceContext& context, ChangeOf of, const std::string& expression);
// All slices like one: of its name, on GPUs or on CPUs. Without any: it has no part in a step's
// time.
Change change_like(const TraceContext& context, SliceRef slice);

// Rows of kWhatIfTable for one change in all its kinds: `factor` times faster, ten times, at once,
// fused, launch-free.
Table what_if_table(const TraceContext& context, const TableQuery& query, const Change& change,
                    std::string_view what, double factor);
// One row for each kernel and operator with most time on the critical paths, `factor` times faster,
// and one for all kernels as a graph.
Table what_helps_table(const TraceContext& context, const TableQuery& query, double factor,
                       std::size_t most);

}  // namespace lanescope
