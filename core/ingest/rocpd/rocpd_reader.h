// Reads the tables of a rocpd database into a trace.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ingest/rocpd/rocpd_tables.h"
#include "core/ingest/rocprofv3/rocm_events.h"
#include "core/ingest/rocprofv3/rocprofv3_json_facts.h"
#include "core/ingest/sqlite_file/sqlite_trace.h"

namespace lanescope {

class RocpdReader final : public SqliteTrace {
  public:
    RocpdReader(const ReadJob& job, TraceBuilder& builder, SqliteFile& file)
        : SqliteTrace(job, builder, file), events_(sink_) {}

    // Errors: cancelled.
    Result<void> run();

  private:
    struct Thread {
        int64_t tid;
        std::string name;
    };
    // Since schema 4, the place of an event is stored in a separate row.
    struct Track {
        int64_t pid = kNoValue, tid = kNoValue, agent = kNoValue, queue = kNoValue;
        int64_t name = kNoValue;
    };
    struct Event {
        int64_t id;
        int64_t category;
        int64_t stack;  // correlation of a call and the work that it launched
        LocalId message;
    };
    struct Counter {
        std::string name;
        int64_t agent;
    };
    struct Measured {
        int64_t event;
        int64_t counter;
        double value;
        uint64_t source;
    };
    // Names and IDs of one recording. A database may hold several recordings.
    struct Recording {
        std::unordered_map<int64_t, std::string> strings, categories;
        std::unordered_map<int64_t, LocalId> processes;
        std::unordered_map<int64_t, Thread> threads;
        std::unordered_map<int64_t, RocmAgent> agents;
        std::unordered_map<int64_t, std::string> queues;
        std::unordered_map<int64_t, RocmKernelSymbol> kernels;
        std::unordered_map<int64_t, LocalId> kernel_names;
        std::unordered_map<int64_t, Track> tracks;
        std::unordered_map<int64_t, Counter> counters;
        std::vector<std::pair<int64_t, int64_t>> timestamps;  // by id
        std::vector<Event> events;                            // by id
        std::vector<Measured> measured;                       // by event
        std::set<std::pair<LocalId, int64_t>> named_queues;
    };
    // The columns that all event tables share: see kShared.
    struct Place {
        int64_t begin, end;
        Track track;
        LocalId process;
        int64_t thread;
        const Event* event;
    };
    using TakeRow = void (RocpdReader::*)(const SqliteRows&);

    // rocpd_reader.cpp
    void read(const RocpdRecording& recording);
    void each(std::string_view base, std::vector<std::string_view> columns, TakeRow take);
    Place place(const SqliteRows& rows);
    int64_t time_of(int64_t id) const;
    const Event* event_of(int64_t id) const;
    LocalId process(int64_t id);
    std::string_view string(int64_t id) const;
    void take_region(const SqliteRows& rows);
    void take_sample(const SqliteRows& rows);
    void take_kernel(const SqliteRows& rows);
    void take_copy(const SqliteRows& rows);
    void take_allocation(const SqliteRows& rows);
    void add_call(const Place& at, std::string_view name, uint64_t source);
    void add_values(const Place& at, int32_t device, bool holds);
    void name_queue(const Place& at);
    const RocmAgent* agent(int64_t id) const;

    // rocpd_facts.cpp
    void read_facts();
    void take_metadata(const SqliteRows& rows);
    void take_node(const SqliteRows& rows);
    void take_string(const SqliteRows& rows);
    void take_category(const SqliteRows& rows);
    void take_process(const SqliteRows& rows);
    void take_thread(const SqliteRows& rows);
    void take_agent(const SqliteRows& rows);
    void take_queue(const SqliteRows& rows);
    void take_symbol(const SqliteRows& rows);
    void take_track(const SqliteRows& rows);
    void take_counter(const SqliteRows& rows);
    void take_timestamp(const SqliteRows& rows);
    void take_event(const SqliteRows& rows);
    void take_measured(const SqliteRows& rows);
    void add_devices();
    void warn_of_unread();

    RocmEvents events_;
    Recording now_;
    RocpdRecording of_;
    std::set<std::string> pids_;  // of earlier recordings
    std::set<std::string> own_pids_;
    std::vector<std::pair<LocalId, Device>> devices_;
    uint64_t packed_texts_ = 0;
};

}  // namespace lanescope
