// Sections: annotations as a timer, how long each kind of them takes from run to run.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/distribution.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kSectionsTable;

struct SectionRow {
    std::string name;  // all of ProfilerStep#N are ProfilerStep*
    uint64_t runs = 0;
    std::size_t warm_up = 0;  // leading runs that are left out of the durations
    Distribution durations;
    SliceRef longest;  // of those
};

// Annotations of threads that begin in the range, from the largest total to the smallest.
std::vector<SectionRow> section_rows(const TraceContext& context, const TableQuery& query);

Table sections_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
