// The column that says which process a row is of, for tables of traces with several processes.
#pragma once

#include <string_view>

#include "core/table/columns.h"
#include "core/trace/trace.h"

namespace lanescope {

// The name of a process, such as "RANK 0 - CPU"; of one without a name, its id.
inline std::string_view process_text(const Trace& trace, uint32_t process) {
    const Process& one = trace.processes[process];
    return trace.strings[one.name != 0 ? one.name : one.pid];
}

// For rows with a `trace` and a function process_row(), which returns a row of Trace::processes.
inline constexpr SharedColumn kProcessColumn{
    where_rows_differ({"process", Unit::none, kDistinct, "",
                       "The process or rank of the row: its name or, without one, its id."}),
    [](const auto& row) { return process_text(row.trace, row.process_row()); }};

}  // namespace lanescope
