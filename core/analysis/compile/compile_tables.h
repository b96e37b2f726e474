// Tables of compiled programs: `lanescope table compile`.
#pragma once

#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

class TraceContext;

extern const TableOf<struct CompiledFrameRow> kCompileTable;
extern const TableOf<struct CompiledGraphRow> kCompileByGraphTable;
extern const TableOf<struct CompiledKernelRow> kCompileByKernelTable;
extern const TableOf<struct GraphBreakRow> kCompileByBreakTable;
extern const TableOf<struct RecompileRow> kCompileByRecompileTable;
extern const TableOf<struct CompiledLineRow> kCompileByLineTable;

// Frames in the order of their first compilation.
Table compile_table(const TraceContext& context, const TableQuery& query);
// Graphs in the order of compilation, then graphs of which only calls are known.
Table compile_by_graph_table(const TraceContext& context, const TableQuery& query);
// Calls in generated code, the longest time first.
Table compile_by_kernel_table(const TraceContext& context, const TableQuery& query);
// Graph breaks and failed guards, in the order of the log. Ignores the query.
Table compile_by_break_table(const TraceContext& context, const TableQuery& query);
Table compile_by_recompile_table(const TraceContext& context, const TableQuery& query);
// Sets of Python lines that kernels compute, the longest time first; work without lines comes last.
Table compile_by_line_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
