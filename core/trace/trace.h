// Trace: everything a file or a recording says, in columns, never changed once it is built.
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
#include "core/trace/side_tables.h"
#include "core/trace/slice.h"

namespace lanescope {

// Something that happens at one time on a lane.
struct Instants {
    Column<Nanos> time;  // ascending
    Column<StringId> name;
    Column<CategoryId> category;
    Column<uint64_t> source;
};

// One numeric series. The value holds from its time to the next.
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
    samples,  // stacks of a thread as they were sampled: no calls that anybody saw begin or end
};
inline constexpr std::size_t kLaneKinds = 5;

struct Lane {
    LaneKind kind = LaneKind::thread;
    // Worked out from another lane, which has the same process and tid: no row of the file.
    bool derived = false;
    uint32_t process = 0;  // row of Trace::processes
    StringId tid = 0;      // as text: thread, stream, or the id of an async track
    StringId name = 0;     // for people; never empty
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
    int32_t device = -1;  // ordinal of a GPU's process
    uint32_t part = 0;    // row of Trace::parts, where there are any
};

struct Category {
    StringId name = 0;
    EventClass event_class = EventClass::other;
};

enum class LinkKind : uint8_t {
    launch,            // runtime call → GPU activity, by correlation
    forward_backward,  // forward operator → its backward
    flow,              // any other flow of the file
};

struct Link {
    SliceRef from;
    SliceRef to;
    LinkKind kind = LinkKind::flow;
};

// Something a reader should know about the file. `count` alike are told once, with the first one's
// place.
struct Warning {
    std::string code;  // stable word: "partial_overlap", "truncated", …
    uint64_t count = 0;
    uint64_t byte_offset = Error::no_offset;  // of the first, in the (decompressed) text
    std::string text;
    std::vector<uint64_t> offsets;  // of the first 20
};

struct Device {
    int32_t id = -1;
    std::string name;
    std::map<std::string, int64_t>
        properties;     // Kineto's numeric deviceProperties by their own names
    uint32_t part = 0;  // row of Trace::parts, where there are any
};

// One file of a trace that is joined of several: see join.h.
struct TracePart {
    std::string path;
    std::string key;   // the path; of a file that is there twice, with its number
    std::string name;  // short, and no other part's: "rank 3", "baseline"
    Nanos offset = 0;  // added to the times of the file
    TimeRange span;    // from its first event to its last end, at the shifted times
    LaneId first_lane = 0;
    uint32_t lane_count = 0;
    uint32_t first_process = 0;
    uint32_t process_count = 0;
    uint32_t first_config = 0;  // of Trace::launch_configs
    uint32_t config_count = 0;
};

// Exact counts of what the file holds; keys and rules as `lanescope info` prints them.
struct FileFacts {
    std::string format;       // "kineto-json", "chrome-json", …
    std::string producer;     // "PyTorch profiler", …
    std::string compression;  // "none", "gzip", "zstd"
    uint64_t events = 0;
    std::map<std::string, uint64_t> phases;
    std::map<std::string, uint64_t> complete_by_category;
    std::map<std::string, int64_t> duration_ns_by_category;
    uint64_t rows_with_complete_events = 0;
    uint64_t zero_duration = 0;
    uint64_t max_stack = 0;
    uint64_t partial_overlaps = 0;
    uint64_t gpu_activities = 0;
    uint64_t gpu_activities_with_launch = 0;
};

struct Trace {
    std::string path;
    StringPool strings;
    std::vector<Category> categories;
    std::vector<uint8_t> name_traits;  // by StringId of a name: see traits_of_name()
    std::vector<Process> processes;
    std::vector<Lane> lanes;  // in the order they are shown: by process, then by lane

    std::vector<LaunchConfig> launch_configs;
    GpuActivities gpu_activities;
    RuntimeCalls runtime_calls;
    Operators operators;
    PythonFrames python_frames;
    MemoryEvents memory_events;
    Collectives collectives;
    Synchronisations synchronisations;
    SampledCalls sampled_calls;

    std::vector<Link> links;                // sorted by (from, to)
    std::vector<uint32_t> links_by_target;  // indices into links, sorted by (to, from)

    Nanos origin = 0;   // earliest time of any event but metadata; times shown are relative to it
    Nanos end = 0;      // latest end of any event
    TimeRange content;  // what a first view should frame: without far-off "Record Window End" marks
    Nanos base_unix_nanos = 0;  // baseTimeNanoseconds, added to times to give Unix time; 0: unknown
    bool synthetic = false;  // written by the sample generator, and named so wherever it is shown
    std::vector<Device> devices;
    std::vector<std::pair<std::string, std::string>>
        metadata;  // top-level keys of the file, values as JSON
    std::vector<Warning> warnings;
    FileFacts facts;
    // Of a trace that is joined of several files; empty: of one. Ids that a file gives
    // (correlation, External id, device, stream) tell things apart within a part only.
    std::vector<TracePart> parts;
    // The part that this trace holds alone, its lanes and processes numbered as in the whole, the
    // others without anything in them; kNoRow: everything.
    uint32_t only_part = kNoRow;

    // Keeps open what event texts are read from again; known to the room that made the trace.
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

// One argument of an event: `value` is a bare text for strings and JSON for all else.
struct Argument {
    std::string name;
    std::string value;
    bool is_string = false;
};

// Reads the full arguments of one event when asked; the trace itself keeps only their place.
class ArgumentReader {
  public:
    virtual ~ArgumentReader() = default;
    // `source`: Chunk::source or Instants::source. Errors when the file has changed or gone.
    virtual Result<std::vector<Argument>> read(uint64_t source) = 0;
};

}  // namespace lanescope
