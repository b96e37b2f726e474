// How long each group of kernels ran, and how long each two groups ran at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/kernel_families.h"
#include "core/table/query.h"
#include "core/table/table.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

extern const TableOf<struct GroupTableRow> kBreakdownByGroupTable;

// The group of work: what the user's classes say of its name, else its family; of communication
// also the library.
std::string group_of_work(const Trace& trace, const GpuWork& work, KernelFamily family);

struct WorkGroup {
    std::string name;
    int64_t count = 0;
    Nanos time = 0;   // the sum of durations
    Nanos busy = 0;   // the length of the union
    Nanos alone = 0;  // the part of `busy` in which no other group ran
};
struct WorkGroupPair {
    uint32_t first = 0;  // positions in WorkGroups::groups
    uint32_t second = 0;
    Nanos overlap = 0;  // in which both ran, positive
};
struct WorkGroups {
    std::vector<WorkGroup> groups;     // by falling `busy`
    std::vector<WorkGroupPair> pairs;  // by falling `overlap`
};
// Counts and sums the work of the query, and clips unions of time to its range.
// `families`: by row of Trace::gpu_activities.
WorkGroups work_groups(const Trace& trace, const KernelFamilies& families,
                       std::span<const GpuWork> work, const TableQuery& query);

Table breakdown_by_group_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
