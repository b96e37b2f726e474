// The prompt of `lanescope sql`.
#pragma once

#include <atomic>

#include "core/export/tables/table_writer.h"
#include "core/sql/traces.h"

namespace lanescope {

struct SqlPromptStyle {
    TableFormat format = TableFormat::text;
    TextStyle text;
};

// Reads statements from the terminal and prints their results until the user leaves. Ctrl+C stops
// a running query through `cancel`, which the traces' connections must observe. The history is
// kept in the user's data folder. Returns the exit status.
int run_sql_prompt(SqlTraces& traces, const SqlPromptStyle& style, std::atomic<bool>& cancel);

}  // namespace lanescope
