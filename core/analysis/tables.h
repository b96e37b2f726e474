// Every table that is computed from a trace, by name and variant: what `lanescope table` and the
// panels offer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/table.h"
#include "core/base/nanos.h"

namespace lanescope {

struct TableQuery {
    // Only what begins in it counts; unions of time are clipped to it. Absolute times.
    std::optional<TimeRange> range;
};

struct TableMaker {
    const TableSpec* spec;
    Table (*make)(const TraceContext& context, const TableQuery& query);
};

// All tables. The variants of one table follow each other, the plain form first.
std::span<const TableMaker> table_makers();
// Makes all tables on up to `workers` threads, in the order of table_makers().
std::vector<Table> make_all_tables(const TraceContext& context, const TableQuery& query,
                                   unsigned workers);
// Null if there is no such table or variant.
const TableMaker* find_table_maker(std::string_view table, std::string_view by);

}  // namespace lanescope
