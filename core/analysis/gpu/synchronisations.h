// Synchronisations: calls in which the host waits for the GPU, what they wait for, and who caused
// them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct SynchronisationTableRow> kSynchronisationsTable;
extern const TableOf<struct SynchronisationCallTableRow> kSynchronisationsByCallTable;
extern const TableOf<struct SynchronisationCauseTableRow> kSynchronisationsByCauseTable;

// The cause; the first that applies.
enum class SyncCause : uint8_t {
    profiler,  // the profiler, as it stops
    item,      // .item(), bool(tensor): a value that Python needs
    copy,      // a copy between host and device for which the host waits
    op,        // any other operator
    program,   // outside of operators: the program itself
};
std::string_view sync_cause_name(SyncCause cause);

struct Synchronisation {
    SliceRef call;
    SyncCause cause = SyncCause::program;
    bool is_copy = false;          // the call makes a copy and waits for it
    int32_t stream = -1;           // the awaited stream; -1: the whole device, or unknown
    uint32_t waited_for = kNoRow;  // of Trace::gpu_activities: what ended last before its end
    // From its begin to the end of that activity; 0: it had already ended.
    Nanos waited = 0;
    SliceRef op = {};        // innermost enclosing operator
    SliceRef outer_op = {};  // outermost in the unbroken chain of enclosing operators
};

// Longest first. Includes calls named …Synchronize…, and copies between host and device in which
// the call waits: synchronous copies, and copies of unpinned memory whose call was still running
// when the copy began.
std::vector<Synchronisation> synchronisations(const TraceContext& context, const TableQuery& query);

// The synchronisations of the whole trace.
struct AllSynchronisations {
    std::vector<Synchronisation> rows;

    static AllSynchronisations compute(const TraceContext& context);
};

// The calls around a call that still run when it begins, innermost first. (A frame that has already
// returned may be its ancestor in the tree, if it partly overlaps an annotation.)
std::vector<SliceRef> running_around(const TraceContext& context, SliceRef call);

Table synchronisations_table(const TraceContext& context, const TableQuery& query);
Table synchronisations_by_call_table(const TraceContext& context, const TableQuery& query);
Table synchronisations_by_cause_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
