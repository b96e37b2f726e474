// Sections: annotations as timers; how long each kind takes from run to run.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/statistics/distribution.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct SectionRow> kSectionsTable;

struct SectionRow {
    std::string name;  // all ProfilerStep#N are ProfilerStep*
    std::string compact;
    uint64_t runs = 0;
    std::size_t warm_up = 0;  // leading runs that are excluded from the statistics
    Distribution durations;
    SliceRef longest;  // of those

    std::string_view short_name() const { return compact; }
};

// Annotations of threads that begin in the range, by total, descending.
std::vector<SectionRow> section_rows(const TraceContext& context, const TableQuery& query);

Table sections_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
