// The state of a spool decoder: the processes of the file, and what is open in them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/spool/spool_clock.h"
#include "core/ingest/spool/spool_decoder.h"
#include "core/trace/category.h"

namespace lanescope {

// The categories of a recording's events.
inline constexpr CategoryWord kSpoolAnnotation = {"user_annotation", EventClass::annotation};
inline constexpr CategoryWord kSpoolRuntimeCall = {"cuda_runtime", EventClass::runtime,
                                                   kLaunchCall};
inline constexpr CategoryWord kSpoolDriverCall = {"cuda_driver", EventClass::runtime, kLaunchCall};
inline constexpr CategoryWord kSpoolKernelWork = {"kernel", EventClass::kernel, kGpuActivity};
inline constexpr CategoryWord kSpoolCopyWork = {"gpu_memcpy", EventClass::memory, kGpuActivity};
inline constexpr CategoryWord kSpoolSetWork = {"gpu_memset", EventClass::memory, kGpuActivity};
inline constexpr CategoryWord kSpoolSync = {"cuda_sync", EventClass::sync};
inline constexpr CategoryWord kSpoolProfilerWork = {"overhead", EventClass::overhead};
inline constexpr CategoryWord kSpoolAllocation = {"cpu_instant_event"};
inline constexpr CategoryWord kSpoolValue = {"sample"};
inline constexpr CategoryWord kSpoolSampled = {kSampleCategory, EventClass::other, kSampledCall};
inline constexpr CategoryWord kSpoolPythonSampled = {kPythonSampleCategory, EventClass::other,
                                                     kSampledCall};
inline constexpr CategoryWord kSpoolWaiting = {kOffCpuCategory, EventClass::other, kSampledCall};

// A range that was pushed or started and has not ended.
struct OpenRange {
    Nanos time;
    uint64_t source;
    LocalId name;
    LocalId lane;
};

// One process of the file; exec and fork begin another one.
struct SpoolProcessState {
    uint32_t pid = 0;
    uint32_t program = 0;  // how many programs the process of this pid had executed before
    std::string name;
    Nanos begin = INT64_MIN;  // when it began to write
    Nanos last_time = INT64_MIN;
    CuptiTime cupti;
    std::map<uint32_t, uint32_t> device_of_context;
    std::map<std::pair<uint32_t, LocalId>, std::vector<OpenRange>> pushed;  // by thread and domain
    std::map<uint64_t, OpenRange> started;                                  // by their id
    std::map<uint64_t, Nanos> ended;
    std::map<uint32_t, int64_t> allocated;                          // bytes by device
    std::map<uint64_t, std::pair<uint64_t, uint32_t>> allocations;  // bytes, device
    std::map<uint32_t, bool> named_by_program;                      // by thread
};

// The texts of one block by their ids, as ids of the batch.
struct BlockTexts {
    std::vector<LocalId> local;  // [0] is no text
    uint64_t last_ticks = 0;     // of the previous push, pop or mark
};

// One function on a sampled thread's present stack.
struct SampledCall {
    LocalId name;
    LocalId module;
    Nanos start;
    uint64_t source;  // position of its number in the first sample
    int64_t samples;
    Nanos cpu_time;  // CPU time that the samples represent; in a wait, its length
};

// A sampled thread.
struct SampledThread {
    LocalId lane = 0;
    Nanos end = INT64_MIN;  // end of the last sample's CPU time
    std::vector<SampledCall> stack;
};

// A location in code, with names for display.
struct SampledFrame {
    LocalId name;
    LocalId module;
};

// A line of a Python function. Lines of one function have the same `function`.
struct PythonSampledFrame {
    LocalId name;
    LocalId module;
    uint32_t function;
};

// One Python function on a sampled thread's present stack.
struct PythonSampledCall {
    PythonSampledFrame frame;
    Nanos start;
    uint64_t source;  // position of its number in the first sample
    int64_t samples;
    int64_t gil_samples, running_samples;  // kNoValue: not known in any of them
};

struct PythonSampledThread {
    LocalId lane = 0;
    Nanos end = INT64_MIN;  // time of the last sample
    std::vector<PythonSampledCall> stack;
};

// A text as quoted JSON.
std::string json_text(std::string_view text);
struct SpoolDecoder::State {
    explicit State(SpoolBlocks b) : blocks(std::move(b)), time(blocks.header()) {}

    SpoolBlocks blocks;
    SpoolTime time;
    TraceSink out{word_of};
    std::map<uint32_t, SpoolProcessState> processes;  // by number in the file
    // Texts of blocks that are not yet closed, by the block's offset.
    std::map<uint64_t, BlockTexts> texts;
    std::map<uint32_t, Device> devices;
    std::vector<LocalId> demangled;  // by the recorded name; 0: not yet looked up
    std::size_t reported_damaged_heads = 0;
    // The first process that used a GPU.
    LocalId first_gpu_process = kNoLocalId;
    uint32_t first_gpu_program = 0;
    std::set<LocalId> named_devices;
    Nanos ring_begin = INT64_MIN;  // events that ended before it are left out
    uint64_t unopened = 0;         // ends without a beginning
    uint64_t lost = 0;             // lost records, as reported by the processes that lost them
    struct NoticedEnd {
        Nanos when;
        Nanos was_running;  // only processes that had begun by then have ended
    };
    std::map<uint32_t, std::vector<NoticedEnd>> end_times;  // by pid, as the recorder noticed them
    std::set<uint32_t> named_pids;
    std::map<uint32_t, LocalId> images;                              // names of their files
    std::vector<SampledFrame> frames;                                // by their number - 1
    std::map<std::pair<uint32_t, uint32_t>, SampledThread> sampled;  // by pid and tid
    std::vector<PythonSampledFrame> python_frames;                   // by their number - 1
    std::map<std::tuple<LocalId, LocalId, uint32_t>, uint32_t> python_functions;
    std::map<std::pair<uint32_t, uint32_t>, PythonSampledThread> python;  // by pid and tid
    const SpoolSink* sink = nullptr;

    // Where the present record is.
    struct Place {
        const SpoolBlock* head = nullptr;
        SpoolProcessState* process = nullptr;
        BlockTexts* texts = nullptr;
        uint64_t offset = 0;  // of the record in the file
        LocalId program = 0;  // the process in the sink
        LocalId thread = 0;   // the lane of the block's thread
    };
    Place at;

    // The batch's id of a text of the block; 0 is "".
    LocalId text(uint32_t id) const {
        return id < at.texts->local.size() ? at.texts->local[id] : at.texts->local[0];
    }
    static std::string_view word_of(EventKind kind);
    // The process with this number in the file.
    SpoolProcessState& process_of(uint32_t number, uint32_t pid);
    // Notes that the process was still there at a time.
    void note_time(Nanos when) { at.process->last_time = std::max(at.process->last_time, when); }
    uint32_t add_slice(LocalId lane, Nanos begin, Nanos duration, LocalId name,
                       const CategoryWord& category, uint64_t source);
    LocalId program(uint32_t pid) { return out.process(std::to_string(pid)); }
    LocalId thread_lane(uint32_t tid);
    LocalId device(uint32_t ordinal);

    Nanos begin_of_ring();
    Result<uint64_t> take_blocks(SpoolBlockKind kind);
    void take_record(const char* record, const SpoolRecord& head);
    void take_fact(const char* record, const SpoolRecord& head);
    void take_range(const char* record, const SpoolRecord& head);
    void take_push(uint64_t ticks, LocalId name, LocalId domain);
    void take_pop(const char* record, const SpoolRecord& head);
    void take_counter(const char* record, const SpoolRecord& head);
    void take_sample(const char* record, const SpoolRecord& head);
    void take_wait(const char* record, const SpoolRecord& head);
    void take_sample_fact(const char* record, const SpoolRecord& head);
    void take_frame(const SpoolFrame& frame, LocalId name);
    void name_sampled_thread(const SpoolSampledThread& thread, LocalId name);
    SampledThread& sampled_thread(uint32_t pid, uint32_t tid);
    SampledFrame frame_of(uint32_t number);
    void close_calls(SampledThread& thread, std::size_t kept,
                     const CategoryWord& category = kSpoolSampled);
    void take_python(const char* record, const SpoolRecord& head);
    void take_python_frame(const SpoolPythonFrame& frame, LocalId name);
    void take_python_sample(const char* record, const SpoolRecord& head);
    PythonSampledFrame python_frame_of(uint32_t number);
    PythonSampledThread& python_thread(uint32_t pid, uint32_t tid);
    void close_python_calls(PythonSampledThread& thread, std::size_t kept);
    void join_started(uint32_t number, SpoolProcessState& process);
    void emit_started(uint32_t number, uint64_t id, const OpenRange& range, Nanos end);
    void close_ranges();
    std::optional<Nanos> end_of(uint32_t number, const SpoolProcessState& process) const;
    Nanos last_time() const;  // of all processes and of the recorder

    void take_cuda(const char* record, const SpoolRecord& head);
    // A correlation counts the calls of one program.
    int64_t call_number(uint64_t correlation) const;
    void take_memory(const SpoolMemory& memory);
    void take_synchronisation(const SpoolSynchronisation& sync);
    LocalId plain_name(LocalId mangled);
    uint32_t add_activity(int64_t start, int64_t end, LocalId name, const CategoryWord& category,
                          LocalId lane);
    template <typename Record>
    void add_gpu_work(const Record& work, LocalId name, const CategoryWord& category, int64_t bytes,
                      const LaunchConfig& config);
};

}  // namespace lanescope
