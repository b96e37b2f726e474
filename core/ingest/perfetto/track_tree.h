// TrackTree: the tracks of a Perfetto trace, and the resulting lanes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ingest/build/trace_sink.h"

namespace lanescope {

enum class TrackKind : uint8_t { plain, process, thread, cpu, states };

// How sibling tracks are merged into one lane.
enum class TrackMerge : uint8_t { by_default, by_name, never, by_key };

struct TrackCounter {
    bool is_builtin = false;  // CPU time or instructions of a thread
    bool is_incremental = false;
    double multiplier = 1;
    std::string unit;
};

struct TrackNode {
    uint64_t uuid = 0;
    uint64_t parent = 0;
    uint32_t stack = 0;  // track with which its slices nest: itself, or its thread's track
    TrackKind kind = TrackKind::plain;
    TrackMerge merge = TrackMerge::by_default;
    bool is_described = false;
    bool is_counter = false;
    bool is_state = false;
    bool has_children = false;
    bool orders_children = false;  // children are sorted by rank
    bool is_async = false;         // exported lane of asynchronous ranges
    bool has_gpu_work = false;
    bool has_other_work = false;
    int32_t device = -1;  // ordinal of the GPU, for GPU work
    int32_t rank = 0;
    std::string pid, tid;  // of processes and threads
    std::string name;
    std::string key;
    TrackCounter counter;
    // Whether `lanescope convert` wrote the track with the key of its lane.
    bool is_exported = false;
    int64_t sort_index = 0;
    std::string first_name;  // name of its first event
    LocalId lane = kNoLocalId;
};

class TrackTree {
  public:
    explicit TrackTree(TraceSink& sink) : sink_(sink) {}

    // Return the index of a track, and create it if it is new.
    uint32_t of_uuid(uint64_t uuid);
    uint32_t of_process(const std::string& pid);
    uint32_t of_thread(const std::string& pid, const std::string& tid);
    uint32_t of_cpu(uint32_t cpu);
    uint32_t interrupts_of(uint32_t cpu);
    uint32_t states_of(const std::string& tid);  // of a thread
    TrackNode& operator[](uint32_t track) { return nodes_[track]; }
    std::size_t size() const { return nodes_.size(); }

    // Takes a TrackDescriptor. `suffix`: appended to pids and tids of another machine. Throws
    // protozero::exception.
    void describe(std::string_view message, const std::string& suffix);
    // Takes a ProcessDescriptor or ThreadDescriptor.
    std::string describe_process(std::string_view message, const std::string& suffix);
    std::pair<std::string, std::string> describe_thread(std::string_view message,
                                                        const std::string& suffix);

    void name_process(const std::string& pid, std::string_view name, bool replaces = true);
    void name_thread(const std::string& tid, std::string_view name, bool replaces = true);
    void set_process_of(const std::string& tid, const std::string& pid);
    // The process of a thread; empty: unknown.
    std::string process_of(const std::string& tid) const;
    std::string_view name_of_thread(const std::string& tid) const;
    std::string_view name_of_process(const std::string& pid) const;

    // Determines the lanes of all tracks. Call it when all events are known.
    void resolve();
    LocalId lane(uint32_t track);
    // The process or device that owns the track's curves.
    LocalId owner(uint32_t track);
    std::string pid_of(uint32_t track);
    LocalId samples_of(const std::string& tid);  // the lane of a thread's sampled stacks
    // A lane of device work without an owning process.
    LocalId device(uint32_t ordinal);
    // Writes the names of all used processes and lanes.
    void write_names();

  private:
    struct Place {
        std::string pid;
        std::string path;   // identity within the process; empty: the process itself
        std::string tid;    // text to display
        std::string order;  // sort key of the process's lanes
    };
    struct NamedProcess {
        std::string name, labels;
        std::optional<int64_t> sort_index;
    };
    struct NamedThread {
        std::string name, pid;
    };
    struct MadeLane {
        LocalId lane;
        std::string pid;
        std::string order;
        std::string name;
        bool is_thread;
        std::optional<int64_t> sort_index;
    };

    uint32_t add(TrackNode node);
    Place place(uint32_t track, int depth) const;
    bool take_export(TrackNode& node);
    std::string title_of(const TrackNode& node) const;
    std::string unique_tid(const Place& place);
    void sort_lanes();

    TraceSink& sink_;
    std::vector<TrackNode> nodes_;
    std::unordered_map<uint64_t, uint32_t> by_uuid_;
    std::map<std::string, uint32_t> processes_, states_;
    std::map<std::pair<std::string, std::string>, uint32_t> threads_;
    std::map<uint32_t, uint32_t> cpus_, interrupts_;
    std::map<std::string, NamedProcess> process_names_;
    std::map<std::string, NamedThread> thread_names_;
    std::map<std::string, bool> has_other_work_;                        // by pid
    std::map<std::pair<std::string, std::string>, std::string> tids_;   // by pid and path
    std::map<std::pair<std::string, std::string>, std::string> paths_;  // by pid and tid
    // By pid and tid: where to continue the search for a free number.
    std::map<std::pair<std::string, std::string>, uint64_t> next_numbers_;
    std::vector<MadeLane> made_;
    std::unordered_set<LocalId> made_lanes_;
    std::map<std::string, LocalId> used_processes_;
};

}  // namespace lanescope
