// State of the Nsight Systems reader: names, lanes, and data collected until the end of the file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/ingest/nsight/nsight_words.h"
#include "core/ingest/sqlite_file/numbered_texts.h"
#include "core/ingest/sqlite_file/sqlite_trace.h"

namespace lanescope {

class NsightReader final : public SqliteTrace {
  public:
    using SqliteTrace::SqliteTrace;

    // Errors: cancelled.
    Result<void> run();

  private:
    using TakeRow = void (NsightReader::*)(const SqliteRows&);
    struct TableReader {
        std::string_view table;
        void (NsightReader::*read)(const SqliteTable&);
    };
    struct MemoryOperation {
        Nanos time;
        int64_t process, device, address, bytes, kind, operation;
        uint64_t source;
    };
    struct StackSample {
        int64_t thread;
        Nanos time;
        int64_t id;  // ID of its stack; kNoValue: a thread switch
        bool runs;   // at a switch: whether the thread runs after it
        uint64_t source;
    };
    struct StackFrame {
        int64_t stack;
        int64_t depth;  // 0: innermost
        int64_t symbol, module;
    };
    struct SampledCallOfStack {
        LocalId name, module;
        Nanos begin;
        uint64_t source;
        int64_t samples;
        Nanos cpu_time;
    };
    struct Sampling {  // samples of one thread
        LocalId lane = 0;
        Nanos period = 0;  // between two samples
        Nanos end = 0;     // end of the last sample
        std::vector<SampledCallOfStack> stack;
    };

    // nsight_reader.cpp
    static std::span<const TableReader> readers();
    void read_table(std::string_view table, Columns columns, TakeRow take);
    void read_other_tables();
    void warn_of_graphs();

    // nsight_names.cpp
    std::string_view text_of(int64_t string_id);  // valid until the next call
    LocalId string(int64_t string_id);
    LocalId call_name(int64_t string_id);
    LocalId process(int64_t global);
    LocalId thread(int64_t global_tid);
    LocalId device(int64_t global_pid, int64_t ordinal);
    LocalId stream(int64_t global_pid, int64_t ordinal, int64_t context, int64_t stream_id);

    // nsight_gpu.cpp
    void read_kernels(const SqliteTable&);
    void read_copies(const SqliteTable&);
    void read_sets(const SqliteTable&);
    void read_graphs(const SqliteTable&);
    void read_synchronisations(const SqliteTable&);
    void read_recorded_events(const SqliteTable&);
    void read_memory(const SqliteTable&);
    void take_kernel(const SqliteRows&);
    void take_copy(const SqliteRows&);
    void take_set(const SqliteRows&);
    void take_graph(const SqliteRows&);
    void take_synchronisation(const SqliteRows&);
    void take_recorded_event(const SqliteRows&);
    void take_memory(const SqliteRows&);
    void add_memory();
    LocalId kernel_name(int64_t mangled, int64_t demangled, int64_t plain);
    FactRow<GpuFacts>* add_work(const SqliteRows& rows, LocalId name, const CategoryWord& category);

    // nsight_calls.cpp
    void read_calls(const SqliteTable&);
    // A table of calls with start, end, globalTid and nameId.
    void read_named(const SqliteTable& table, const CategoryWord& category);
    void read_overhead(const SqliteTable&);
    void read_system_calls(const SqliteTable&);
    void read_library_calls(const SqliteTable&);
    void read_mpi(const SqliteTable&);
    void read_graph_nodes(const SqliteTable&);
    void read_graph_events(const SqliteTable&);
    void read_unknown(const SqliteTable&);
    void take_outer_call(const SqliteRows&);
    void take_call(const SqliteRows&);
    void take_named(const SqliteRows&);
    void take_mpi_rank(const SqliteRows&);
    void take_graph_node(const SqliteRows&);

    // nsight_ranges.cpp
    void read_ranges(const SqliteTable&);
    void take_range(const SqliteRows&);
    void add_range(const SqliteRows& rows, std::string_view text, const Span& at);
    void add_started(const SqliteRows& rows, LocalId name, const Span& at);

    // nsight_samples.cpp
    void read_samples(const SqliteTable&);
    void read_switches(const SqliteTable&);
    void take_sample(const SqliteRows&);
    void take_switch(const SqliteRows&);
    void take_frame(const SqliteRows&);
    void add_samples();
    void add_samples_of_thread(std::span<const StackSample> samples);
    void add_pause(LocalId lane, Nanos begin, Nanos end, uint64_t source);
    static Sampling sampling_of(std::span<const StackSample> samples);
    void add_stack(Sampling& at, const StackSample& sample);
    void close_calls(Sampling& at, std::size_t kept);
    std::vector<std::pair<LocalId, LocalId>> functions_of(int64_t stack);

    // nsight_facts.cpp
    void read_facts(const SqliteTable&);
    void read_clock(const SqliteTable&);
    void read_devices(const SqliteTable&);
    void read_device_numbers(const SqliteTable&);
    void read_contexts(const SqliteTable&);
    void read_metric_names(const SqliteTable&);
    void read_metrics(const SqliteTable&);
    void read_messages(const SqliteTable&);
    void read_process_names(const SqliteTable&);
    void read_thread_names(const SqliteTable&);
    void read_stream_names(const SqliteTable&);
    LocalId metric_lane(int64_t type);
    void take_fact(const SqliteRows&);
    void take_clock(const SqliteRows&);
    void take_device(const SqliteRows&);
    void take_device_number(const SqliteRows&);
    void take_context(const SqliteRows&);
    void take_metric_name(const SqliteRows&);
    void take_metric(const SqliteRows&);
    void take_message(const SqliteRows&);
    void take_process_name(const SqliteRows&);
    void take_thread_name(const SqliteRows&);
    void take_stream_name(const SqliteRows&);
    void finish_facts();

    // Of all events of the current table, if they share one.
    const CategoryWord* category_ = nullptr;
    std::set<std::string_view> known_tables_;

    std::optional<NumberedTexts> texts_;
    std::unordered_map<int64_t, LocalId> strings_, calls_, kernels_;
    std::map<int64_t, LocalId> processes_;                    // by globalPid
    std::unordered_map<uint32_t, int> processes_of_pid_;      // number of processes with this pid
    std::map<int64_t, LocalId> threads_;                      // by globalTid
    std::map<int64_t, int64_t> ranks_;                        // MPI, by globalPid
    std::map<std::pair<int64_t, int64_t>, LocalId> devices_;  // by globalPid and ordinal
    using StreamKey = std::tuple<int64_t, int64_t, int64_t, int64_t>;
    std::map<StreamKey, LocalId> streams_;
    std::map<std::pair<int64_t, int64_t>, int64_t> device_of_context_;  // by pid and context
    // Key of the stream without its context.
    std::set<std::tuple<int64_t, int64_t, int64_t>> stream_texts_;
    // Unnamed streams, by pid, context and number.
    std::map<std::tuple<int64_t, int64_t, int64_t>, std::vector<LocalId>> streams_of_context_;
    struct ProcessName {
        LocalId name;
        uint64_t source;
    };
    std::map<int64_t, ProcessName> process_names_;  // by globalPid
    std::pair<int64_t, LocalId> last_thread_ = {kNoValue, 0};
    std::pair<StreamKey, LocalId> last_stream_ = {{kNoValue, 0, 0, 0}, 0};

    std::set<std::pair<int64_t, int64_t>> outer_calls_;  // thread, correlation
    std::map<std::tuple<int64_t, int64_t, int64_t>, std::pair<int64_t, int64_t>>
        recorded_events_;  // process, event, its number → correlation, stream
    uint64_t whole_graphs_ = 0;
    std::vector<MemoryOperation> memory_;
    std::vector<StackSample> samples_;
    std::vector<StackFrame> frames_;
    std::unordered_map<int64_t, LocalId> modules_;
    std::map<int64_t, LocalId> sampled_threads_;  // lanes of samples by thread

    std::map<int64_t, int64_t> ordinals_;  // ordinals of devices by their number on the machine
    std::map<std::pair<int64_t, int64_t>, LocalId> metric_names_;  // by type and metric
    std::map<int64_t, LocalId> metric_lanes_;                      // by device number
    std::string product_;
    bool has_shifted_times_ = false;
    struct Messages {
        std::vector<std::string> first;
        std::unordered_set<std::size_t> hashes;  // of all different ones
    };
    Messages messages_[2];  // warnings, errors
};

}  // namespace lanescope
