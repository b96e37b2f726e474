// Exact facts of a file as a flat table. (As JSON and as a page:
// core/export/tables/facts_writer.h.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

// How the times of a file relate to Unix time.
struct ClockFacts {
    Nanos begin = 0;  // start of the first event, on the file's own clock
    Nanos end = 0;    // last end of an event
    // Offset from the file's times to Unix time, ns; empty: unknown.
    std::optional<Nanos> unix_base;
    bool base_is_recorded = false;  // false: the file's times are Unix time
    std::string host;               // name of the machine; empty: not recorded
};
// `file`: a trace of one file, or one part of a joined trace.
ClockFacts clock_facts(const Trace& file);

// How several files were aligned to one clock; `files` is empty if the trace is a single file.
struct JoinFacts {
    std::string aligned_by;       // value of --align: "clock"
    std::vector<TracePtr> files;  // parts of the joined trace
};

extern const TableOf<struct FactTableRow> kFactsTable;

Table facts_table(const Trace& trace, const LoadCost& cost, const JoinFacts& join = {});

}  // namespace lanescope
