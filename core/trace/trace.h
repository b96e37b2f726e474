// Trace: the whole contents of a file or recording, in columns. Immutable once built.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/base/string_pool.h"
#include "core/trace/category.h"
#include "core/trace/schema.h"
#include "core/trace/slice.h"

namespace lanescope {

class KernelClasses;
struct CompiledCode;

// An event at a single time on a lane.
struct Instants {
    Column<Nanos> time;  // ascending
    Column<StringId> name;
    Column<CategoryId> category;
    Column<uint64_t> source;
};

// A numeric series. Each value is valid from its time to the next point.
struct CounterSeries {
    Column<Nanos> time;  // ascending
    Column<double> value;
    double min = 0;
    double max = 0;
};

enum class LaneKind : uint8_t {
    thread,   // calls of a CPU thread (or any row of a generic trace)
    stream,   // activities of a GPU stream
    async,    // asynchronous ranges of one category and id
    counter,  // a curve
    samples,  // sampled stacks of a thread: nobody observed when the calls began or ended
    replay,   // calls that launched a graph's kernels when it was captured, above its replays
};
std::string_view lane_kind_name(
    LaneKind kind);  // "thread", "stream", "async", "counter", "samples", "replay"
inline constexpr std::size_t kLaneKinds = 6;

struct Lane {
    LaneKind kind = LaneKind::thread;
    // Derived from another lane with the same process and tid; not a lane of the file.
    bool derived = false;
    bool samples_python = false;  // of a lane of samples: Python functions, not CPU time
    uint32_t process = 0;         // row of Trace::processes
    // As text: thread, also of a thread's samples; stream; or the id of an async track.
    StringId tid = 0;
    StringId name = 0;  // for people; never empty
    int64_t sort_index = 0;
    std::vector<std::shared_ptr<const Chunk>> chunks;
    std::shared_ptr<const Instants> instants;      // null: none
    std::shared_ptr<const CounterSeries> counter;  // only of counter lanes
    uint32_t slice_count = 0;
    uint32_t depth_count = 0;  // rows needed to show it

    // The chunk that holds the slice at `index`, and its place there.
    std::pair<const Chunk*, uint32_t> locate(uint32_t index) const {
        if (chunks.size() == 1) return {chunks.front().get(), index};
        return locate_chunk(index);
    }

  private:
    std::pair<const Chunk*, uint32_t> locate_chunk(uint32_t index) const;
};

struct Process {
    StringId pid = 0;     // as text
    StringId name = 0;    // may be empty
    StringId labels = 0;  // "CPU", "GPU 0"
    int64_t sort_index = 0;
    bool is_gpu = false;
    bool is_profilers_own = false;  // marks and spans of the profiler, no program's work
    int32_t device = -1;            // ordinal of a GPU's process
    // Of a GPU's process: the row of the process that launched its work; kNoRow: not known.
    uint32_t owner = kNoRow;
    uint32_t part = 0;  // row of Trace::parts, if there are any
};

struct Category {
    StringId name = 0;
    EventClass event_class = EventClass::other;
};

enum class LinkKind : uint8_t {
    launch,            // runtime call → GPU activity, by correlation
    forward_backward,  // forward operator → its backward operator
    flow,              // any other flow of the file
};

struct Link {
    SliceRef from;
    SliceRef to;
    LinkKind kind = LinkKind::flow;
};

// Something that a reader should know about the file. `count` equal warnings are reported once,
// with the place of the first.
struct Warning {
    std::string code;  // stable word: "partial_overlap", "truncated", …
    uint64_t count = 0;
    // Position of the first one in the (decompressed) text.
    uint64_t byte_offset = Error::no_offset;
    std::string text;
    std::vector<uint64_t> offsets;  // positions of the first 20
};

// A fact about a device, as an integer; the names are those of CUDA's cudaDeviceProp.
enum class DeviceFact : uint8_t {
    memory_bytes,
    compute_major,  // compute capability
    compute_minor,
    multiprocessors,
    warp_size,
    max_threads_per_block,
    max_threads_per_multiprocessor,
    registers_per_block,
    registers_per_multiprocessor,
    shared_bytes_per_block,
    shared_bytes_per_block_optin,
    shared_bytes_per_multiprocessor,
    l2_bytes,
    amd_shared_bytes_per_multiprocessor,  // under the name that only HIP uses
};

struct Device {
    int32_t id = -1;  // ordinal
    std::string name;
    std::map<DeviceFact, int64_t> facts;
    std::map<std::string, int64_t> more;  // other numbers of the file, under the file's names
    uint32_t part = 0;                    // row of Trace::parts, if there are any

    // A fact, or `none` if the file does not have it.
    int64_t fact(DeviceFact what, int64_t none = 0) const {
        const auto found = facts.find(what);
        return found == facts.end() ? none : found->second;
    }
};

// One file of a joined trace: see join.h.
struct TracePart {
    std::string path;
    std::string key;   // the path; with a number if the same file is joined twice
    std::string name;  // short and unique among the parts: "rank 3", "baseline"
    Nanos offset = 0;  // offset that was added to the times of the file
    TimeRange span;    // from the first event to the last end, in shifted times
    LaneId first_lane = 0;
    uint32_t lane_count = 0;
    uint32_t first_process = 0;
    uint32_t process_count = 0;
    uint32_t first_config = 0;  // of Trace::launch_configs
    uint32_t config_count = 0;
};

// Exact counts of what the file contains; keys and rules as `lanescope info` prints them.
struct FileFacts {
    std::string format;       // "kineto-json", "chrome-json", …
    std::string producer;     // "PyTorch profiler", …
    std::string compression;  // "none", "gzip", "zstd"
    std::string hash;         // content_hash() of the file; empty: not known
    // False: calls are stacks at single moments, and their slices are no measured times. Analyses
    // then state no time of calls.
    bool calls_have_times = true;
    uint64_t events = 0;
    std::map<std::string, uint64_t> phases;
    std::map<std::string, uint64_t> complete_by_category;
    std::map<std::string, int64_t> duration_ns_by_category;
    uint64_t rows_with_complete_events = 0;
    uint64_t zero_duration = 0;
    // µs subtracted from the times of a file with a remote epoch, whose nanoseconds would not fit
    // 64 bits; otherwise 0.
    int64_t time_base_us = 0;
    uint64_t max_stack = 0;
    uint64_t partial_overlaps = 0;
    uint64_t gpu_activities = 0;
    uint64_t gpu_activities_with_launch = 0;
    std::vector<std::string> graph_captures;     // files read for graph replays
    std::vector<std::string> compile_artifacts;  // files read about compiled code
    // See record_faults.h.
    uint64_t launches = 0;  // of kernels, graphs and asynchronous copies
    uint64_t launches_without_gpu_record = 0;
    uint64_t records_without_time = 0;
    uint64_t records_over_successors = 0;
};

struct Trace : SideTables {
    std::string path;
    StringPool strings;
    std::vector<Category> categories;
    std::vector<uint8_t> name_traits;  // by StringId of a name: see traits_of_name()
    // The user's classes of kernels, which name_traits already include; null: none.
    std::shared_ptr<const KernelClasses> kernel_classes;
    // Logs and caches of the compiler that generated the program's code; null: none found.
    std::shared_ptr<const CompiledCode> compiled_code;
    std::vector<Process> processes;
    std::vector<Lane> lanes;  // in display order: by process, then by lane

    std::vector<LaunchConfig> launch_configs;  // that rows of gpu_activities use

    std::vector<Link> links;                // sorted by (from, to)
    std::vector<uint32_t> links_by_target;  // indices into links, sorted by (to, from)

    // Earliest time of any event except metadata; displayed times are relative to it.
    Nanos origin = 0;
    Nanos end = 0;      // latest end of any event
    TimeRange content;  // what the first view should show: without remote "Record Window End" marks
    // Added to trace times to give Unix time (baseTimeNanoseconds); 0: unknown.
    Nanos base_unix_nanos = 0;
    // Written by the sample generator; labelled as synthetic wherever it is shown.
    bool synthetic = false;
    std::vector<Device> devices;
    std::vector<std::pair<std::string, std::string>>
        metadata;  // top-level keys of the file, values as JSON
    std::vector<Warning> warnings;
    FileFacts facts;
    // The files of a joined trace; empty for a single file. Ids from the file (correlation,
    // External id, device, stream) are unique only within one part.
    std::vector<TracePart> parts;
    // If this trace holds a single part of a joined trace, that part's row; lanes and processes
    // keep their numbers, and those of other parts are empty. kNoRow: everything.
    uint32_t only_part = kNoRow;

    // Keeps the file open from which event texts are read again; only the loader that made the
    // trace knows its type.
    std::shared_ptr<const void> source;

    Nanos start(SliceRef s) const {
        const auto [chunk, i] = lanes[s.lane].locate(s.index);
        return chunk->start[i];
    }
    Nanos duration(SliceRef s) const {
        const auto [chunk, i] = lanes[s.lane].locate(s.index);
        return chunk->duration[i];
    }
    Nanos slice_end(SliceRef s) const {
        const auto [chunk, i] = lanes[s.lane].locate(s.index);
        return chunk->end(i);
    }
    StringId name_id(SliceRef s) const {
        const auto [chunk, i] = lanes[s.lane].locate(s.index);
        return chunk->name[i];
    }
    std::string_view name(SliceRef s) const { return strings[name_id(s)]; }
    EventClass event_class(SliceRef s) const {
        const auto [chunk, i] = lanes[s.lane].locate(s.index);
        return event_class(chunk->name[i], chunk->category[i]);
    }
    EventClass event_class(StringId name, CategoryId category) const {
        const EventClass base = categories[category].event_class;
        return name < name_traits.size() ? refine_class(base, name_traits[name]) : base;
    }
    uint64_t slice_count() const;
};

using TracePtr = std::shared_ptr<const Trace>;

// One argument of an event: `value` is plain text for strings and JSON for everything else.
struct Argument {
    std::string name;
    std::string value;
    bool is_string = false;
};

// Reads all arguments of one event on demand; the trace itself stores only their position.
class ArgumentReader {
  public:
    virtual ~ArgumentReader() = default;
    // `source`: Chunk::source or Instants::source; derived slices have none. Errors: the file
    // has changed or is gone.
    virtual Result<std::vector<Argument>> read(uint64_t source) = 0;
};

}  // namespace lanescope
