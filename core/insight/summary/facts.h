// Exact facts of a file as a flat table. (As JSON and as a page:
// core/export/tables/facts_writer.h.)
#pragma once

#include <cstdint>
#include <optional>

#include "core/table/table.h"
#include "core/trace/trace.h"

namespace lanescope {

// The cost of loading a file.
struct LoadCost {
    uint64_t bytes = 0;  // of the file on disk
    double seconds = 0;
    // Private memory of the process after the load, without the file's pages; none in a library,
    // whose process holds more than the trace.
    std::optional<uint64_t> resident_bytes = {};
};

extern const TableOf<struct FactTableRow> kFactsTable;

Table facts_table(const Trace& trace, const LoadCost& cost);

}  // namespace lanescope
