// What happened in a trace, for one screen: the facts, and which of them make the story. (As
// sentences: core/export/summary_writer.h.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/breakdown.h"
#include "core/analysis/collectives.h"
#include "core/analysis/gap_story.h"
#include "core/analysis/steps.h"
#include "core/analysis/synchronisations.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kSummaryTable;

struct SummaryStep {
    uint32_t step = 0;  // of Steps::all
    bool warm_up = false;
    bool outlier = false;
    double deviation = 0;  // from the median, as a part of it
};

struct SummarySteps {
    StepSource source = StepSource::none;
    std::vector<SummaryStep> all;  // that begin in the range
    uint64_t warm_up = 0;
    double median = 0;  // ns, without the warm-up; NaN: no steps
    Nanos min = 0;      // likewise without
    Nanos max = 0;
};

// Gaps of one cause, of a device.
struct SummaryCause {
    GapCause cause = GapCause::unknown;
    uint64_t gaps = 0;
    Nanos total = 0;
};

struct SummaryDevice {
    uint32_t process = 0;  // row of Trace::processes
    int32_t device = -1;   // -1: not recorded
    TimeBreakdown time;
    Nanos steps = 0;          // the union of the steps' times of the processes that launch on it
    Nanos busy_in_steps = 0;  // of it
    Nanos data_loading = 0;   // of its idle time: while the data loader ran
    uint64_t kernels = 0;     // begun in the range
    uint64_t pageable_copies = 0;
    Nanos pageable_copy_time = 0;
    uint64_t launches = 0;      // with their calls in the file
    int64_t deepest_queue = 0;  // the most that any of them was launched on a stream and not begun
    uint64_t gap_count = 0;
    std::vector<SummaryCause> causes;  // the longest first
    std::vector<GapStory> gaps;        // the longest few, the longest first
};

// Collectives of one type on one device.
struct SummaryCollectives {
    uint32_t device = kNoRow;  // of Summary::devices; kNoRow: Gloo's, on the CPU
    CollectiveType type = CollectiveType::unknown;
    uint64_t calls = 0;
    Nanos total = 0;
    Nanos exposed = 0;  // of those on a GPU
};

struct SummaryKernel {
    StringId name = 0;
    uint32_t device = 0;  // of Summary::devices
    uint64_t calls = 0;
    Nanos total = 0;
    double share = 0;       // of the time of all activities of its device
    bool computes = false;  // neither communication nor a copy or set
    SliceRef longest;
};

struct SummaryOperator {
    StringId name = 0;
    uint64_t calls = 0;
    Nanos cpu_self = 0;
    Nanos device_self = 0;     // work launched in it and in no operator below
    std::string shapes;        // where most of its time goes; empty: not recorded
    uint64_t shape_calls = 0;  // with those shapes
    SliceRef longest;
};

// Calls in which the host waits for the GPU, without the profiler's own.
struct SummaryWaits {
    uint64_t calls = 0;  // that are there to wait
    Nanos calls_total = 0;
    uint64_t copies = 0;  // that wait until they are done
    Nanos copies_total = 0;
    Nanos total() const { return calls_total + copies_total; }
    // What costs most of both: who asks, and in which operator (none: outside of operators).
    SyncCause cause = SyncCause::program;
    SliceRef op;
    uint64_t most_calls = 0;
    Nanos most = 0;
};

struct SummaryHolder {
    SliceRef op;  // one of that name; none: outside of operators
    int64_t bytes = 0;
};

struct SummaryMemory {
    int32_t device_type = 0;  // 0: CPU
    int32_t device_id = -1;
    int64_t peak = 0;     // bytes
    int64_t earlier = 0;  // of it: allocated before the recording began
    Nanos time = 0;
    std::vector<SummaryHolder> holders;  // at the peak, the largest few
};

struct SummaryLane {
    LaneId lane = 0;
    Nanos busy = 0;
};

enum class StoryKind : uint8_t {
    no_gpu_work,
    top_operator,           // where nothing ran on a GPU
    gpu_busy,               // how much, of span and steps
    data_loading,           // holds over 30 % of the span, with the GPU idle
    few_gaps,               // the first `count` gaps hold at least 80 % of the idle time
    idle_cause,             // the cause that holds the most of it
    top_kernel,             // computes, and takes over 20 % of the time of its device's activities
    exposed_communication,  // over 10 % of the busy time
    pageable_copies,        // likewise
    waits,                  // the host's for the GPU, over 10 % of the span
    odd_step,               // `count`: how many stand out
};
struct StoryPoint {
    StoryKind kind = StoryKind::no_gpu_work;
    uint32_t device = 0;  // of Summary::devices
    uint32_t count = 0;
};

struct Summary {
    std::optional<TimeRange> range;
    std::vector<StoryPoint> story;  // in the order to tell it
    SummarySteps steps;
    std::vector<SummaryDevice> devices;
    SummaryWaits waits;
    std::vector<SummaryCollectives> collectives;
    std::vector<SummaryKernel> kernels;  // the few that take most of each device
    Nanos cpu_self = 0;                  // of all operators
    bool operators_by_device = false;    // the order of `operators`: by device_self, else cpu_self
    std::vector<SummaryOperator> operators;
    std::vector<SummaryMemory> memory;  // the largest peak first
    std::vector<SummaryLane> lanes;     // the busiest; only where the trace has no operators
};

Summary summarise(const TraceContext& context, const TableQuery& query);

// What makes the story: needs all else.
std::vector<StoryPoint> story_of(const Summary& summary);

// Parts of it.
SummarySteps summarise_steps(const TraceContext& context, const TableQuery& query);
std::vector<SummaryDevice> summarise_devices(const TraceContext& context, const TableQuery& query);
SummaryWaits summarise_waits(const TraceContext& context, const TableQuery& query);
void summarise_operators(const TraceContext& context, const TableQuery& query, Summary& summary);
std::vector<SummaryMemory> summarise_memory(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
