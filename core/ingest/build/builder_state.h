// What a TraceBuilder has collected, for the steps that turn it into a Trace.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/column.h"
#include "core/base/string_pool.h"
#include "core/ingest/build/batch.h"
#include "core/trace/trace.h"

namespace lanescope {

// A lane of the file, or a lane for an async track or a counter.
struct LaneBuild {
    LaneKind kind = LaneKind::thread;
    LaneRole role = LaneRole::row;
    uint32_t process = 0;  // row of BuilderState::processes
    StringId tid = 0;
    StringId name = 0;  // of generated lanes; of threads that metadata names
    int64_t sort_index = 0;
    bool has_sort_index = false;
    bool has_gpu_activity = false;
    bool has_samples = false;
    bool has_calls = false;  // it has slices that are not samples
    uint16_t classes = 0;    // of its slices: a bit by EventClass
    bool has_pairs = false;  // some slices come from B and E events
    int32_t device = -1;
    RawSlices slices;
    uint32_t complete_events = 0;
    Instants instants;  // in the order of the file
    std::shared_ptr<const CounterSeries> counter;
    // For a live lane: whether slices or instants precede `slices` and `instants`.
    bool has_sealed_slices = false;
    bool has_sealed_instants = false;

    bool has_slices() const { return has_sealed_slices || slices.size() > 0; }
    bool has_instants() const { return has_sealed_instants || !instants.time.empty(); }
    bool is_shown() const { return has_slices() || has_instants() || counter; }

    void add_instant(Nanos time, StringId event_name, CategoryId category, uint64_t source) {
        instants.time.push_back(time);
        instants.name.push_back(event_name);
        instants.category.push_back(category);
        instants.source.push_back(source);
    }
};

// The bit of LaneBuild::classes.
inline uint16_t bit_of(EventClass event_class) {
    return static_cast<uint16_t>(1U << static_cast<unsigned>(event_class));
}

struct ProcessBuild {
    StringId pid = 0;         // 0 of a device
    uint32_t owner = kNoRow;  // of a device: the process that used it
    int32_t device = -1;
    uint32_t program = 0;  // of a device: see ProcessKey
    StringId name = 0;
    StringId labels = 0;
    int64_t sort_index = 0;
    bool has_sort_index = false;
    bool is_profilers_own = false;  // marks and spans of the profiler, no program's work
    bool comes_last = false;        // below the programs and their devices
};

struct PairEvent {  // a begin or an end
    Nanos time;
    uint64_t source;
    uint32_t lane;
    StringId name;
    CategoryId category;
    EventKind kind;
};

struct AsyncEvent {
    Nanos time;
    uint64_t source;
    int64_t id;
    uint32_t lane;
    StringId name;
    CategoryId category;
    EventKind kind;
    uint16_t flags;  // EventFlag
};

struct FlowEvent {
    Nanos time;
    int64_t id;
    uint64_t source;
    uint32_t lane;
    CategoryId category;
    EventKind kind;
    uint16_t flags;  // EventFlag
};

struct CounterEvent {
    Nanos time;
    double value;
    uint32_t lane;
    StringId name;
    StringId series;
};

struct CategoryBuild {
    StringId name = 0;
    EventClass event_class = EventClass::other;
    uint8_t traits = 0;  // CategoryTrait
    uint64_t complete_events = 0;
    int64_t duration = 0;

    bool is(CategoryTrait trait) const { return traits & trait; }
};

// The meaning of one worker's local ids. An id is translated when an event first uses it, so that
// global ids follow the order of the file regardless of which worker read which block.
struct WorkerNames {
    static constexpr uint32_t unknown = ~uint32_t{0};
    std::vector<std::string_view> texts;
    std::vector<StringId> text;
    std::vector<uint32_t> category;         // by LocalId of its text
    std::vector<CategoryMeaning> meanings;  // by LocalId of its text
    std::vector<ProcessKey> process_keys;
    std::vector<uint32_t> process;
    std::vector<LaneKey> lane_keys;
    std::vector<uint32_t> lane;
};

// Identifies a lane of the file. Files have far fewer than 2^29 processes.
static_assert(static_cast<unsigned>(LaneRole::profiler) < 8);
inline uint64_t key_of_lane(uint32_t process, LaneRole role, StringId tid) {
    return uint64_t{process} << 35 | static_cast<uint64_t>(role) << 32 | tid;
}

struct WarningCount {
    uint64_t count = 0;
    std::string text;
    std::vector<uint64_t> offsets;  // the first 20
};

struct BuilderState {
    StringPool strings;
    std::vector<uint8_t> name_traits;
    std::vector<CategoryBuild> categories;
    std::map<std::pair<StringId, EventClass>, CategoryId> category_of;
    std::vector<LaneBuild> lanes;
    std::unordered_map<uint64_t, uint32_t> lane_of;  // by key_of_lane()
    std::vector<ProcessBuild> processes;
    // By owner, device, program and pid.
    std::map<std::tuple<uint32_t, int32_t, uint32_t, StringId>, uint32_t> process_of;
    std::vector<WorkerNames> workers;

    // Lanes for async ranges: by process, category and name of the outermost range.
    std::map<std::tuple<uint32_t, CategoryId, StringId>, uint32_t> async_lanes;

    Column<PairEvent> pairs;
    Column<AsyncEvent> asyncs;
    Column<FlowEvent> flows;
    Column<CounterEvent> counters;

    // Until the trace is finished, the SliceRefs of these tables are (builder's lane, raw index).
    std::vector<LaunchConfig> launch_configs;
    std::unordered_map<uint64_t, std::vector<uint32_t>> config_of;  // rows by hash
    SideTables tables;

    std::map<std::string, WarningCount> warnings;
    std::vector<Device> devices;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::shared_ptr<const CompiledCode> compiled_code;
    uint64_t events = 0;
    std::map<std::string, uint64_t> words;  // Batch::words
    uint64_t zero_duration = 0;
    int64_t time_base_us = 0;  // see FileFacts::time_base_us
    Nanos first_time = INT64_MAX;
    Nanos last_time = INT64_MIN;

    // Bytes of the collected data, without spare capacity of columns.
    uint64_t bytes() const;
    BuilderState clone() const;
    void warn(const std::string& code, uint64_t offset, std::string_view text);
};

}  // namespace lanescope
