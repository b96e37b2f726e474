// A trace on one screen: the facts, and which of them form the story. (As sentences:
// core/export/tables/summary_writer.h.)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/context.h"
#include "core/analysis/gpu/breakdown.h"
#include "core/analysis/gpu/step_bound.h"
#include "core/analysis/gpu/synchronisations.h"
#include "core/analysis/statistics/range_summary.h"
#include "core/analysis/statistics/samples.h"
#include "core/analysis/structure/steps.h"
#include "core/insight/summary/gap_story.h"
#include "core/insight/summary/step_lag.h"
#include "core/table/query.h"
#include "core/table/table.h"
#include "core/trace/incomplete.h"

namespace lanescope {

struct SummaryTableRow {
    std::string_view topic;
    std::string text;
};
extern const TableOf<SummaryTableRow> kSummaryTable;

struct SummaryStep {
    uint32_t step = 0;  // of Steps::all
    bool warm_up = false;
    bool outlier = false;
    double deviation = 0;  // from the median, relative to it
    StepBound bound = StepBound::unknown;
    BoundTimes times;
    Nanos time = 0;  // what the step takes: DeviceSteps::time()
};

struct SummarySteps {
    StepSource source = StepSource::none;
    std::vector<SummaryStep> all;  // that begin in the range
    uint64_t warm_up = 0;
    uint64_t windows = 1;  // recorded windows with steps, of the process with most
    double median = 0;     // ns, without warm-up; NaN: no steps
    Nanos min = 0;         // without warm-up
    Nanos max = 0;
    std::optional<StepLag> lag;
};

// A device's gaps of one cause.
struct SummaryCause {
    GapCause cause = GapCause::unknown;
    uint64_t gaps = 0;
    Nanos total = 0;
};

struct SummaryDevice {
    uint32_t process = 0;  // row of Trace::processes
    int32_t device = -1;   // -1: not recorded
    TimeBreakdown time;
    // Length of the union of the steps of processes that use the device (DeviceStep::window), and
    // the time in it during which the device was busy. If the device is late (StepPace), the time
    // in which the steps' work runs.
    Nanos steps = 0;
    Nanos busy_in_steps = 0;
    Nanos data_loading = 0;  // part of its idle time in which the data loader ran
    // Part of its idle time in gaps between recorded windows, which are no gaps of the program. The
    // gaps below do not include them.
    Nanos between_windows = 0;
    // Part of the idle time, in gaps that the profiler made (GapCause::recording). The gaps below
    // do not include it either.
    Nanos at_edges = 0;
    Nanos overhead = 0;    // rest of its idle time in gaps that are is_overhead()
    uint64_t kernels = 0;  // number that began in the range
    uint64_t pageable_copies = 0;
    Nanos pageable_copy_time = 0;
    uint64_t launches = 0;      // launches whose call is in the file
    int64_t deepest_queue = 0;  // maximum of launched activities on one stream that had not begun
    uint64_t gap_count = 0;
    std::vector<SummaryCause> causes;  // the longest first
    std::vector<GapStory> gaps;        // the longest few, longest first
    std::vector<bool> users;           // by process: whether it launched work on the device
    // The bound of the steps of `users`, without warm-up; of the device's span if there are no
    // steps.
    StepBound bound = StepBound::unknown;
    uint64_t bound_steps = 0;  // 0: the span
    BoundTimes bound_times;    // the sum over these steps

    // In recorded windows.
    Nanos recorded_idle() const { return time.idle - between_windows - at_edges; }
    Nanos recorded_span() const { return time.span - between_windows - at_edges; }
};

// Collectives of one type on one device.
struct SummaryCollectives {
    uint32_t device = kNoRow;  // index in Summary::devices; kNoRow: Gloo's, on the CPU
    CollectiveType type = CollectiveType::unknown;
    uint64_t calls = 0;
    Nanos total = 0;
    Nanos exposed = 0;  // time of calls on a GPU that no computation hid
};

struct SummaryKernel {
    StringId name = 0;
    uint32_t device = 0;  // index in Summary::devices
    uint64_t calls = 0;
    Nanos total = 0;
    double share = 0;       // of the time of all activities of its device
    bool computes = false;  // it is neither communication nor a copy or set
    SliceRef longest;
    double median = 0;        // ns, of one call
    bool one_config = false;  // all calls have the same recorded grid and block
    uint64_t planned = 0;     // calls whose grid was chosen after an occupancy query
};

struct SummaryOperator {
    StringId name = 0;
    uint64_t calls = 0;
    Nanos cpu_self = 0;
    Nanos device_self = 0;     // time of the work launched in it, but not in a nested operator
    std::string shapes;        // the shapes with which it took most time; empty: not recorded
    uint64_t shape_calls = 0;  // number of calls with these shapes
    SliceRef longest;
};

// Calls in which the host waits for the GPU, without the profiler's own.
struct SummaryWaits {
    uint64_t calls = 0;  // calls whose purpose is to wait
    Nanos calls_total = 0;
    uint64_t copies = 0;  // copies whose call waits for them
    Nanos copies_total = 0;
    Nanos total() const { return calls_total + copies_total; }
    // The combination of cause and operator with most time in calls and copies (none: outside of
    // operators).
    SyncCause cause = SyncCause::program;
    SliceRef op;
    uint64_t largest_calls = 0;
    Nanos largest = 0;
    // The profiler's own waits, which are in no sum above.
    Nanos of_profiler = 0;
    SliceRef longest_of_profiler;
};

// What torch.compile made of the program.
struct SummaryCompiled {
    uint64_t regions = 0;    // calls of compiled code
    uint64_t prologues = 0;  // searches for compiled code, and what else runs before it
    Nanos prologue_time = 0;
    uint64_t kernels = 0;  // on GPUs, without copies and sets
    Nanos kernel_time = 0;
    uint64_t generated = 0;  // of these, Triton kernels that stand for operators
    Nanos generated_time = 0;
    StringId longest = 0;  // the name of generated kernels that takes most time; 0: none
};
// "add_relu" for "triton_poi_fused_add_relu_3"; empty for other kernels.
std::string_view fused_operators(std::string_view kernel);

struct SummaryHolder {
    SliceRef op;  // an operator of that name; none: outside of operators
    int64_t bytes = 0;
};

struct SummaryMemory {
    int32_t device_type = 0;  // 0: CPU
    int32_t device_id = -1;
    int64_t peak = 0;     // bytes
    int64_t earlier = 0;  // part of the peak that was allocated before the recording began
    Nanos time = 0;
    std::vector<SummaryHolder> holders;  // the largest few at the time of the peak
};

// Slices of one name and category, and the self time of all slices.
struct SummarySlices {
    NameInRange slices;
    Nanos all = 0;
};

// Samples of one kind.
struct SummarySamples {
    SampleKind kind = SampleKind::cpu;
    SampleWeight all;
    uint32_t threads = 0;
    std::vector<FunctionSamples> functions;  // those with most own time
};

struct SummaryLane {
    LaneId lane = 0;
    Nanos busy = 0;
};

enum class StoryKind : uint8_t {
    incomplete,  // the file is truncated or damaged
    no_gpu_work,
    counters_only,          // a recording of a program without NVTX ranges and CUDA calls
    top_slice,              // only if nothing ran on a GPU, and there are no operators
    busiest_lane,           // likewise
    top_operator,           // only if nothing ran on a GPU
    samples,                // `count`: index in Summary::samples
    gpu_busy,               // share of the span and of the steps
    peak_memory,            // Summary::memory.front(); only if calls have no times
    lag,                    // the host runs ahead of the GPU, or the GPU begins late
    bound,                  // the bound of the steps, or of the span if there are no steps
    few_gaps,               // the first `count` gaps make up at least 80 % of the idle time
    idle_cause,             // the cause with most idle time
    top_kernel,             // computes, and takes over 20 % of its device's activity time
    exposed_communication,  // over 10 % of the busy time
    pageable_copies,        // over 10 % of the busy time
    waits,                  // the host waits for the GPU, over 10 % of the span
    odd_step,               // `count`: number of outliers
    finding,                // `count`: index in Findings::all; only in findings_story()
};
struct StoryPoint {
    StoryKind kind = StoryKind::no_gpu_work;
    uint32_t device = 0;  // index in Summary::devices
    uint32_t count = 0;
};

struct Summary {
    std::optional<TimeRange> range;
    std::vector<StoryPoint> story;  // in the order of the text
    std::optional<Incomplete> incomplete;
    bool calls_have_times = true;  // FileFacts::calls_have_times
    SummarySteps steps;
    std::vector<SummaryDevice> devices;
    SummaryWaits waits;
    SummaryCompiled compiled;
    std::vector<SummaryCollectives> collectives;
    std::vector<SummaryKernel> kernels;       // those with most time on each device
    Nanos cpu_self = 0;                       // of all operators
    std::optional<SummarySlices> top_slices;  // with most self time; only without operators
    double busiest_share = 0;                 // of lanes.front(), of the whole time; 0: no story
    bool counters_only = false;               // a recording without any range, call or sample
    std::vector<SummarySamples> samples;      // one for each kind of samples in the trace
    bool operators_by_device = false;  // `operators` is sorted by device_self, else by cpu_self
    std::vector<SummaryOperator> operators;
    std::vector<SummaryMemory> memory;  // the largest peak first
    std::vector<SummaryLane> lanes;     // the busiest; only if the trace has no operators
};

Summary summarise(const TraceContext& context, const TableQuery& query);
// The parts that tell what limits a program: steps and devices. Findings need no others. `beside`
// computes what the caller needs afterwards, on a thread that would otherwise wait; only for the
// whole trace.
Summary summarise_bounds(const TraceContext& context, const TableQuery& query,
                         const std::function<void()>& beside = nullptr);
// Adds all other parts.
void complete_summary(const TraceContext& context, const TableQuery& query, Summary& summary);

// Selects the story; requires all other parts.
std::vector<StoryPoint> story_of(const Summary& summary);

// The parts of the summary.
SummarySteps summarise_steps(const TraceContext& context, const TableQuery& query);
std::vector<SummaryDevice> summarise_devices(const TraceContext& context, const TableQuery& query);
SummaryCompiled summarise_compiled(const TraceContext& context, const TableQuery& query);
SummaryWaits summarise_waits(const TraceContext& context, const TableQuery& query);
void summarise_operators(const TraceContext& context, const TableQuery& query, Summary& summary);
std::vector<SummaryMemory> summarise_memory(const TraceContext& context, const TableQuery& query);
std::vector<SummarySamples> summarise_samples(const Trace& trace, const TableQuery& query);

}  // namespace lanescope
