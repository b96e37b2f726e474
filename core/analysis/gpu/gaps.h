// Idle gaps of GPUs: when nothing ran, and what the GPU waited for.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/analysis/context.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/base/column.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct GapTableRow> kGapsTable;

enum class GapCause : uint8_t {
    unknown,            // the next activity's launch is not in the file
    profiler_overhead,  // the profiler worked for at least half of the gap
    synchronisation,    // the host waited for the GPU before the next launch, for at least half
                        // of the gap's length
    copy,               // the host worked on the next copy for at least half of the gap
    host,               // the next launch began after the previous activity had ended
    dependency,         // the stream waited for an event of another stream
    // The next activity is in a graph that had been launched: files do not record what its nodes
    // wait for. In words: "cause not recorded".
    graph,
    launch_latency,  // anything else
    recording,       // the profiler started or stopped during the gap: RecordingEdge
};
std::string_view gap_cause_name(GapCause cause);  // empty when unknown

struct IdleGap {
    uint32_t process = 0;    // row of Trace::processes
    int32_t device = -1;     // -1: not recorded
    int32_t stream = -1;     // -1: not recorded, or the whole device
    bool of_device = false;  // no stream of the device ran anything
    GapCause cause = GapCause::unknown;
    TimeRange range;      // cut to the query's
    uint32_t before = 0;  // rows of Trace::gpu_activities: what ended when the gap began,
    uint32_t after = 0;   // and what began when it ended
    SliceRef launch;      // of `after`; none: not in the file
    SliceRef host_call;   // on the launching thread: innermost call that covers half of the gap
};

// Longest first. Cause and neighbours refer to the whole gap, even if the range clips it.
Column<IdleGap> idle_gaps(const TraceContext& context, const TableQuery& query);

// Whether the host causes the gap: the host launched late, waited, or copied pageable memory, or
// the launch itself took time.
bool is_overhead(const Trace& trace, const IdleGap& gap);

// The idle gaps of the whole trace.
struct AllIdleGaps {
    Column<IdleGap> rows;

    static AllIdleGaps compute(const TraceContext& context);
};

Table gaps_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
