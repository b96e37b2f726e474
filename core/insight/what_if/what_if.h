// What-if: how long steps would take if something on their critical paths took less time, or work
// were launched for free.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/critical_path/dependency_graph.h"
#include "core/base/result.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

// A larger factor gives the same result as work that takes no time. A smaller factor gives times
// that Nanos cannot hold.
inline constexpr double kLeastFactor = 1e-6;
inline constexpr double kLargestFactor = 1e6;

extern const TableOf<struct WhatIfTableRow> kWhatIfTable;

enum class ChangeKind : uint8_t {
    faster,  // takes its time ÷ factor
    fused,   // removed, together with its launch call, its launch latency and the gap before it
    launch_free,  // its launch call and launch latency take no time
    graph,  // nothing inside operators and calls takes time on the CPU, and launches take none
};
std::string_view change_name(ChangeKind kind);

// A kind of time on the paths: all segments of one part and name, such as the launches of one
// kernel, the gaps before it, the time in one call, or the program's in one Python frame.
struct PathCost {
    PathPart part = PathPart::program;
    StringId name = StringPool::none;  // none: segments without a slice

    friend bool operator==(const PathCost&, const PathCost&) = default;
};

struct Change {
    ChangeKind kind = ChangeKind::faster;
    double factor = 2;                 // for `faster`: above 0, may be infinite
    std::vector<uint32_t> activities;  // rows of Trace::gpu_activities
    std::vector<SliceRef> calls;   // operators, calls and data loaders, with everything inside them
    std::optional<PathCost> cost;  // for `faster`
};

// When each node of the graph would be reached; with an empty change, as recorded. Nodes without
// dependencies keep their time.
std::vector<Nanos> replay(const TraceContext& context, const Change& change);

struct WhatIf {
    std::size_t steps = 0;
    double step_ns = 0;      // mean, as recorded
    double new_step_ns = 0;  // mean, with the change
    double path_ns = 0;      // mean over steps of the critical path's time that the change affects
    double saved_ns() const { return step_ns - new_step_ns; }
};
// For the steps that begin in the range; the change applies to the whole trace.
WhatIf what_if(const TraceContext& context, const TableQuery& query, const Change& change);

// The time by which each step of the trace would be shorter, in ns; indexed as Steps::all.
std::vector<double> saved_by_step(const TraceContext& context, const Change& change);

// Dependencies that the file does not record, so that the answers miss them; empty: none.
std::string missing_edges(const TraceContext& context);

// All kernels, copies and sets of the trace whose name matches a regular expression; or operators,
// with what they launched. Errors: invalid expression, or nothing matches.
enum class ChangeOf : uint8_t { kernels, operators };
Result<Change> change_of(const TraceContext& context, ChangeOf kind, const std::string& expression);
// All slices of the same name, on GPUs or on CPUs. Empty if the slice does not contribute to a
// step's time.
Change change_like(const TraceContext& context, SliceRef slice);

// Rows of kWhatIfTable for one change in all variants: `factor` times faster, ten times faster,
// instantaneous, fused, launch-free.
Table what_if_table(const TraceContext& context, const TableQuery& query, const Change& change,
                    std::string_view what, double factor);
// One row for each of the costs with most time on the critical paths, whatever their part, `factor`
// times faster, and one row for all kernels as a graph.
Table what_helps_table(const TraceContext& context, const TableQuery& query, double factor,
                       std::size_t limit);

}  // namespace lanescope
