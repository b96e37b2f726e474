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

// The group of a piece of work: the group in the user's classes, otherwise the family; for
// communication, with the library.
std::string group_of_work(const Trace& trace, const GpuWork& work, KernelFamily family);

struct WorkGroup {
    std::string name;
    int64_t count = 0;
    Nanos time = 0;   // sum of durations
    Nanos busy = 0;   // length of their union
    Nanos alone = 0;  // part of `busy` in which no other group ran
};
struct WorkGroupPair {
    uint32_t first = 0;  // index in WorkGroups::groups
    uint32_t second = 0;
    Nanos overlap = 0;  // time in which both groups ran; above 0
};
struct WorkGroups {
    std::vector<WorkGroup> groups;     // sorted by `busy`, the longest first
    std::vector<WorkGroupPair> pairs;  // sorted by `overlap`, the longest first
};
// Counts and sums the work of the query, and clips unions of time to its range.
// `families`: by row of Trace::gpu_activities.
WorkGroups work_groups(const Trace& trace, const KernelFamilies& families,
                       std::span<const GpuWork> work, const TableQuery& query);

Table breakdown_by_group_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
