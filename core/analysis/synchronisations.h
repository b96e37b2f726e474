// Synchronisations: calls in which the host waits for the GPU, what for, and who asked for it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/table.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kSynchronisationsTable;
extern const TableSpec kSynchronisationsByCallTable;
extern const TableSpec kSynchronisationsByCauseTable;

// Who asked for it; the first that holds.
enum class SyncCause : uint8_t {
    profiler,  // the profiler, as it stops
    item,      // .item(), bool(tensor): a value that Python needs
    copy,      // a copy between host and device that the host waits for
    op,        // any other operator
    program,   // outside operators: the program itself
};
std::string_view sync_cause_name(SyncCause cause);

struct Synchronisation {
    SliceRef call;
    SyncCause cause = SyncCause::program;
    bool is_copy = false;          // the call makes a copy and waits for it
    int32_t stream = -1;           // that it waits for; -1: the whole device, or not known
    uint32_t waited_for = kNoRow;  // of Trace::gpu_activities: what ended last before its end
    Nanos waited = 0;              // from its begin to the end of that; 0: that had ended before
    SliceRef op = {};              // innermost operator around it
    SliceRef outer_op = {};        // outermost of the operators that follow each other outwards
};

// The longest first. Calls named …Synchronize…, and copies between host and device in which the
// call waits: those that are not asynchronous, and those of memory that is not pinned whose call
// still ran when the copy began.
std::vector<Synchronisation> synchronisations(const TraceContext& context, const TableQuery& query);

// From the inside out: the calls around one that still run as it begins. (A frame that left before
// may stand above it in the tree, where it overlaps an annotation only in part.)
std::vector<SliceRef> running_around(const TraceContext& context, SliceRef call);

Table synchronisations_table(const TraceContext& context, const TableQuery& query);
Table synchronisations_by_call_table(const TraceContext& context, const TableQuery& query);
Table synchronisations_by_cause_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
