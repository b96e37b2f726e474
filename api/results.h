// The tables and texts of the C interface, by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/opened.h"
#include "core/base/result.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

// `keeps` is what the table reads beside the traces.
struct MadeTable {
    Table table;
    std::shared_ptr<const void> keeps = nullptr;
};

using Opened = std::span<lanescope_trace* const>;

// Errors: no such table, wrong options, or a wrong number of traces.
Result<MadeTable> make_table(Opened traces, std::string_view name, const char* options);
Result<std::string> make_text(Opened traces, std::string_view name, const char* options);

// All names: see lanescope_tables().
Table names_table();
// The declaration of a table; null if there is none.
const TableSpec* find_any_table(std::string_view name);

// The only trace of a call. Errors: there are several, or the trace was joined from several files.
Result<lanescope_trace*> only_trace(Opened traces, std::string_view name);

// That trace, and the range of its time that a result is about.
struct OneTrace {
    lanescope_trace* opened = nullptr;
    TableQuery query;
    const TraceContext& context() const { return *opened->context; }
    const TracePtr& trace() const { return opened->joined.whole; }
};
// `range`: as in --range; empty: everything. Errors: those of only_trace(), or no such range.
Result<OneTrace> one_trace(Opened traces, std::string_view name, const std::string& range = {});

}  // namespace lanescope
