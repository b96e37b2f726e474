// PftraceReader: reads the packets of a Perfetto trace into a trace.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/ingest/kineto/kineto_rows.h"
#include "core/ingest/perfetto/annotations.h"
#include "core/ingest/perfetto/clock_tracker.h"
#include "core/ingest/perfetto/event_store.h"
#include "core/ingest/perfetto/ftrace_clock.h"
#include "core/ingest/perfetto/packet_stream.h"
#include "core/ingest/perfetto/sched_tracker.h"
#include "core/ingest/perfetto/sequence_state.h"
#include "core/ingest/perfetto/track_tree.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

// Members of TraceBuilder's metadata.
inline constexpr std::string_view kPftraceUnixOffset = "unix_offset_ns";
inline constexpr std::string_view kPftraceWriter = "written_by";

std::string_view pftrace_word(EventKind kind);

class PftraceReader {
  public:
    PftraceReader(const ReadJob& job, TraceBuilder& builder, AnnotationTexts& memory);

    // Errors: nothing of the file is a packet, it cannot be read, cancelled.
    Result<void> run();

  private:
    // The fields of a packet besides its payload.
    struct Packet {
        uint64_t source = 0;
        uint64_t message = 0;  // position of the packet's message
        std::string_view bytes;
        std::optional<uint64_t> reading;  // reading of the packet's clock
        std::optional<uint32_t> clock;
        uint32_t sequence = 0;
        uint64_t flags = 0;
        bool dropped = false;
        bool is_first = false;
        int64_t pid = 0;
        std::string suffix;  // suffix for pids and tids of another machine
        PftraceSequence* state = nullptr;
    };
    struct LegacyEvent {
        bool is_given = false;
        uint64_t name = 0;
        char phase = 0;
        int64_t duration = -1;  // µs
        std::optional<uint64_t> unscoped_id, local_id, global_id, bind_id;
        std::string_view scope;
        bool binds_enclosing = false;
        uint64_t flow_direction = 0;
        std::optional<int64_t> pid, tid;
    };
    // The parts of a TrackEvent that are read.
    struct TrackEventFields {
        uint64_t type = 0;
        std::optional<uint64_t> track;
        std::optional<int64_t> delta, absolute;  // µs
        uint64_t name_id = 0;
        std::string_view name;
        std::vector<uint64_t> category_ids;
        std::vector<std::string_view> categories;
        std::vector<std::string_view> annotations;
        std::optional<int64_t> counter;
        std::optional<double> double_counter;
        std::vector<uint64_t> extra_tracks, extra_double_tracks;
        std::vector<int64_t> extra_values;
        std::vector<double> extra_doubles;
        std::vector<uint64_t> flows, ending_flows, stages;
        LegacyEvent legacy;

        void clear();
    };
    struct Point {
        uint32_t track;
        Nanos time;
        double value;
        uint64_t source;
    };
    struct NamedPoint {  // a point of a curve without a track
        LocalId owner;   // kNoLocalId: the track's owner
        uint32_t track;
        LocalId name, series;
        Nanos time;
        double value;
        uint64_t source;
    };
    struct FlowPoint {
        uint64_t id;
        uint32_t event;
        bool is_end;
        uint8_t kind;  // a LinkKind + 1 of an exported link; 0: any
        Nanos time;
    };
    struct AsyncEvent {
        RawEvent event;
        uint32_t track;
        uint64_t source;
    };
    struct State {
        uint32_t track;
        Nanos time;
        LocalId name, category;
        uint64_t source;
    };
    struct Stage {
        Nanos time = 0;
        Nanos duration = 0;
        uint64_t source = 0;
        uint64_t id = 0;
        int32_t gpu = 0;
        std::string queue;
        int64_t pid = -1;  // from the context
        LocalId name = 0, category = 0;
        std::vector<uint64_t> waits;
        KinetoArguments arguments;
        bool is_work = false;
    };
    // The numbers to which a GPU render stage refers.
    struct StageIds {
        std::optional<uint64_t> queue_number, stage_number, queue, stage;
        uint64_t context = 0, kernel = 0, name = 0;
        std::string_view own_name, launch;
        bool has_event = false;
    };
    struct StackOfSample {
        std::string tid;
        Nanos time;
        uint32_t stack;
        uint64_t source;
    };

    // pftrace_reader.cpp
    Result<void> read_packets();
    void read_head(const PacketBytes& bytes, Packet& packet);
    void read_packet(const PacketBytes& bytes);
    bool prepare_state(Packet& packet);
    void read_payload(Packet& packet, uint32_t field, std::string_view message, uint64_t position);
    void count_unread(uint32_t field, uint64_t source, bool is_ftrace);
    void read_defaults(PftraceSequence& state, std::string_view message);
    void read_system_info(std::string_view message);
    std::optional<Nanos> time_of(const Packet& packet);
    Nanos time_on(uint32_t clock, uint32_t sequence, uint64_t reading);
    void finish();
    void warn_of_file();
    void warn(std::string_view code, uint64_t count, uint64_t source, const std::string& text);
    void take(const Batch& batch);
    std::string pid_text(const Packet& packet, int64_t pid) const {
        return std::to_string(pid) + packet.suffix;
    }

    // sequence_data.cpp
    void read_interned(PftraceSequence& state, std::string_view message);
    void read_gpu_interned(PftraceSequence& state, uint32_t field, std::string_view message);
    void read_stack_interned(PftraceSequence& state, uint32_t field, std::string_view message);

    // track_events.cpp
    void read_track_event(Packet& packet, std::string_view message);
    uint32_t track_of(const Packet& packet);
    std::optional<Nanos> track_event_time(const Packet& packet);
    LocalId name_of(const PftraceSequence& state);
    void add_slice_event(const Packet& packet, StoredKind kind, Nanos time, Nanos duration);
    void add_legacy(const Packet& packet, char phase, Nanos time);
    void add_legacy_counts(const Packet& packet, uint32_t track, Nanos time);
    void add_metadata_event(const Packet& packet);
    void add_async(const Packet& packet, EventKind kind, uint16_t flags, Nanos time);
    void add_extra_counters(const Packet& packet, Nanos time);
    void add_count(const Packet& packet, uint64_t uuid, Nanos time, double value);
    void add_flows(uint32_t event);

    // track_event_fields.cpp
    void read_fields(std::string_view message);
    void read_value(const WireMessage& in);
    bool read_list(const WireMessage& in);
    void read_legacy(std::string_view message);
    const PftraceCategory& category_of(const PftraceSequence& state);
    const PftraceCategory& known_category(std::string_view word);

    // event_arguments.cpp
    void read_arguments(const AnnotationReader& reader);
    void take_argument(const Annotation& annotation, const AnnotationReader& reader);
    void take_json_arguments(std::string_view members);
    void take_rocm_argument(const Annotation& annotation);
    void store_argument(ArgumentKey key, const Annotation& annotation,
                        const AnnotationReader& reader);
    std::string_view category_by_arguments(std::string_view name) const;

    // gpu_events.cpp
    void read_stage(const Packet& packet, std::string_view message);
    StageIds read_stage_fields(Stage& stage, PftraceSequence& state, std::string_view message);
    void name_stage(Stage& stage, const StageIds& ids, const PftraceSequence& state);
    void read_launch(Stage& stage, std::string_view message, const PftraceSequence& state);
    void set_stage_argument(Stage& stage, std::string_view name, std::string_view value);
    void classify_stage(Stage& stage, std::string_view stage_name, uint64_t category,
                        bool is_kernel);
    void read_gpu_counters(const Packet& packet, std::string_view message);
    void read_gpu_memory(const Packet& packet, std::string_view message);
    void read_gpu_frequency(const Packet& packet, std::string_view message);
    void read_gpu_info(std::string_view message);
    void add_point(LocalId owner, std::string_view name, std::string_view series, Nanos time,
                   double value, uint64_t source);

    // kernel_events.cpp, ftrace_events.cpp
    void read_process_tree(const Packet& packet, std::string_view message);
    void read_process_stats(const Packet& packet, std::string_view message);
    void read_kernel_process_tree(const Packet& packet, std::string_view message);
    void read_task_state(const Packet& packet, std::string_view message);
    void read_task_rename(const Packet& packet, std::string_view message);
    void read_cpu_frequency(const Packet& packet, std::string_view message);
    void read_ftrace(const Packet& packet, std::string_view message, uint64_t position);
    void read_ftrace_event(const Packet& packet, uint32_t cpu, std::string_view message,
                           uint64_t source, const FtraceClock& clock);
    bool read_ftrace_value(uint32_t cpu, Nanos time, uint32_t field, std::string_view message,
                           uint64_t source);
    void read_ftrace_payload(const Packet& packet, uint32_t cpu, Nanos time, int64_t tid,
                             uint32_t field, std::string_view message, uint64_t source);
    void read_compact_sched(const Packet& packet, uint32_t cpu, std::string_view message,
                            const FtraceClock& clock);
    Nanos ftrace_time(const FtraceClock& clock, uint64_t reading);
    uint32_t kernel_thread(const Packet& packet, int64_t tid);
    void add_cpu_point(uint32_t cpu, std::string_view name, Nanos time, double value,
                       uint64_t source);
    void add_cpu_slice(uint32_t cpu, StoredKind kind, Nanos time, std::string_view name,
                       uint64_t source);
    void add_print(const Packet& packet, int64_t tid, Nanos time, std::string_view text,
                   uint64_t source);
    void add_mark(const Packet& packet, int64_t tid, Nanos time, char type, int64_t pid,
                  std::string_view name, int64_t value, uint64_t source);

    // stack_samples.cpp
    void read_perf_sample(const Packet& packet, std::string_view message);
    void read_stack_sample(const Packet& packet, std::string_view message);
    std::optional<uint32_t> stack_of(const PftraceSequence& state, uint64_t id);
    uint32_t stack_number(std::vector<std::pair<LocalId, LocalId>> frames);
    uint32_t inline_stack(std::string_view message);
    void add_samples();

    // write_events.cpp
    void mark_tracks();
    void add_states();
    void add_sched();
    void write_slices(const PairedEvents& paired);
    void write_event(const StoredEvent& event, uint32_t number, Nanos end);
    void write_exported_async(const StoredEvent& event, LocalId lane, Nanos end);
    void write_points();
    void write_asyncs();
    void write_flows(const PairedEvents& paired);
    void write_stages();
    void write_waits(const std::unordered_map<uint64_t, std::pair<LocalId, Nanos>>& places);
    std::unordered_set<int64_t> launched_by_events() const;

    const ReadJob& job_;
    TraceBuilder& builder_;
    AnnotationTexts& memory_;
    PacketStream packets_;
    TraceSink sink_{pftrace_word};
    Result<void> stopped_;  // why the load ends early
    ClockTracker clocks_;
    TrackTree tracks_{sink_};
    SchedTracker sched_;
    EventStore store_;
    std::map<uint32_t, PftraceSequence> sequences_;
    std::unordered_map<std::string, PftraceCategory> categories_;
    std::vector<Point> points_;
    std::vector<NamedPoint> named_points_;
    std::vector<FlowPoint> flows_;
    std::vector<AsyncEvent> asyncs_;
    std::vector<State> states_;
    std::deque<Stage> stages_;
    std::unordered_set<LocalId> named_queues_;
    std::vector<std::pair<uint32_t, uint64_t>> submissions_;  // submitting event, stage
    std::vector<StackOfSample> samples_;
    std::map<std::vector<std::pair<LocalId, LocalId>>, uint32_t> stack_numbers_;
    std::vector<const std::vector<std::pair<LocalId, LocalId>>*> stacks_;
    // By device and name: number of the last point, from 1.
    std::map<uint64_t, std::size_t> last_gpu_points_;
    // State of the current event.
    TrackEventFields fields_;
    KinetoArguments arguments_;
    std::map<std::string, int64_t, std::less<>> rocm_;
    std::vector<std::string> texts_;  // referenced by arguments

    std::map<std::pair<bool, uint32_t>, std::pair<uint64_t, uint64_t>> unread_;
    struct Counts {
        uint64_t packets = 0;
        uint64_t damaged = 0, damaged_at = 0;
        uint64_t stateless = 0, stateless_at = 0;
        uint64_t lost = 0, lost_at = 0;
        uint64_t timeless = 0, timeless_at = 0;
        uint64_t clockless = 0, clockless_at = 0;
        uint64_t doubled = 0;
        uint64_t states_elsewhere = 0, states_elsewhere_at = 0;
        uint64_t stacks_elsewhere = 0;
    } counts_;
    Nanos last_time_ = INT64_MIN;
    bool is_own_ = false;  // the file was written by Lanescope
    bool has_rocm_ = false;
    std::string writer_;
};

}  // namespace lanescope
