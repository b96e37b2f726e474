// Reads an XSpace into a trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/compile/hlo_program.h"
#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/ingest/xspace/xspace_index.h"
#include "core/ingest/xspace/xspace_lanes.h"
#include "core/ingest/xspace/xspace_words.h"

namespace lanescope {

// Names of Trace::metadata.
inline constexpr std::string_view kXspaceClock = "baseTimeNanoseconds";
inline constexpr std::string_view kXspaceProducer = "producer";

// Times from here on are since 1970.
inline constexpr int64_t kXspaceAbsolute = 100'000'000'000'000'000;

class XspaceReader {
  public:
    XspaceReader(const ReadJob& job, TraceBuilder& builder);
    XspaceReader(const XspaceReader&) = delete;
    XspaceReader& operator=(const XspaceReader&) = delete;

    // Errors: the file changed or cannot be read, cancelled.
    Result<void> run();

  private:
    // The names and class that all events with the same metadata id share.
    struct Name {
        LocalId name = 0;   // as it is shown
        LocalId scope = 0;  // of an operator of TensorFlow: its name in the model
        LocalId call = 0;   // of a call of Python: its name as other profilers write it
        XspaceOp op = XspaceOp::work;
        bool is_operator = false;
        bool is_allocation = false;
        bool is_release = false;
    };
    using Names = std::unordered_map<int64_t, Name>;
    // The planes of one host.
    struct Host {
        LocalId process = kNoLocalId;
        bool has_step_marks = false;            // of the program, on a thread
        bool has_operators = false;             // of TensorFlow
        std::map<int32_t, LocalId> allocators;  // whose totals count, by device; -1: the host
    };
    // The line that is read.
    struct LineState {
        const XspacePlane* plane = nullptr;
        const XspaceLine* line = nullptr;
        const Names* names = nullptr;
        Host* host = nullptr;
        LocalId lane = 0;
        Nanos start = 0;  // of the line
    };
    struct OnDevice {
        LocalId id = 0;
        int32_t ordinal = 0;
        std::string label;   // "TPU 0"
        std::string prefix;  // of names of lanes
    };
    struct Time {
        Nanos begin = 0;
        Nanos duration = 0;
    };
    struct StepMark {
        Time time;
        LocalId name;    // as the file has it
        LocalId marked;  // as steps are named
        uint64_t source;
    };
    using TakeEvent = void (XspaceReader::*)(const LineState&, const XspaceEvent&, const Time&,
                                             const Name&, uint64_t source);

    bool is_stopped() const { return !stopped_ || job_.is_cancelled(); }
    void take_batch(const Batch& batch);
    Result<void> why_stopped() const;

    // Facts about the file, its hosts and its devices (xspace_facts.cpp).
    void read_facts();
    void read_clock();
    void read_hosts();
    void add_device_facts(const XspacePlane& plane, const XspaceDevice& device);
    void read_programs();
    void warn_of_file();

    Names read_names(XspaceText& text, const XspacePlane& plane);
    void read_plane(const XspacePlane& plane, const Names& names);
    void read_thread(LineState& state, LocalId process);
    void read_device_line(LineState& state, bool has_streams);
    void read_ops(LineState& state);
    void read_async_ops(LineState& state);
    // Passes each event of a line that has a time. Returns how many there were, and the line's name
    // for people, if it has one.
    struct Read {
        std::size_t events = 0;
        std::string display_name;
    };
    Read each_event(const LineState& state, TakeEvent take);
    // The times of the line's events; of an event without a time {0, 0}.
    std::vector<XspaceSpan> spans_of(const LineState& state);
    void finish_steps();

    // Events of threads (xspace_host.cpp).
    void take_host_event(const LineState& state, const XspaceEvent& event, const Time& time,
                         const Name& name, uint64_t source);
    void take_call(const LineState& state, const XspaceEvent& event, const Time& time,
                   const Name& name, uint64_t source);
    void add_launched_op(const LineState& state, const XspaceEvent& event, const Time& time,
                         uint64_t source);
    void take_memory(const LineState& state, const XspaceEvent& event, const Time& time,
                     const Name& name, uint64_t source);
    void take_operator(const LineState& state, const XspaceEvent& event, const Time& time,
                       const Name& name, uint64_t source);
    void add_flows(const LineState& state, const XspaceEvent& event, const Time& time,
                   uint64_t source);

    // Events of devices (xspace_device.cpp).
    void take_stream_event(const LineState& state, const XspaceEvent& event, const Time& time,
                           const Name& name, uint64_t source);
    void take_op(const LineState& state, const XspaceEvent& event, const Time& time,
                 const Name& name, uint64_t source);
    void take_async(const LineState& state, const XspaceEvent& event, const Time& time,
                    const Name& name, uint64_t source);
    void take_wait(const LineState& state, const XspaceEvent& event, const Time& time,
                   const Name& name, uint64_t source);
    void take_step(const LineState& state, const XspaceEvent& event, const Time& time,
                   const Name& name, uint64_t source);
    void take_derived(const LineState& state, const XspaceEvent& event, const Time& time,
                      const Name& name, uint64_t source);
    FactRow<GpuFacts>& add_work(const LineState& state, const XspaceEvent& event, const Time& time,
                                LocalId name, const CategoryWord& category, uint64_t source);
    LocalId kernel_name(LocalId name);

    uint32_t add_slice(LocalId lane, const Time& time, LocalId name, const CategoryWord& category,
                       uint64_t source) {
        return sink_.slice(lane, time.begin, time.duration, name, sink_.category(category), source);
    }
    void add_unreadable(const LineState& state, uint64_t source, const WarningText& why);
    static std::optional<Time> time_of(const LineState& state, const XspaceEvent& event);
    void name_lane(const LineState& state, LocalId lane, std::string_view name) {
        sink_.name_lane(lane, sink_.text(name), state.line->begin);
    }

    const ReadJob& job_;
    TraceBuilder& builder_;
    TraceSink sink_;
    XspaceText text_;
    XspaceText ahead_;  // for lines whose events are read twice
    XspaceIndex index_;
    Nanos base_ = 0;                  // subtracted from times since 1970
    std::map<uint32_t, Host> hosts_;  // by XspacePlane::repetition
    std::unordered_map<LocalId, LocalId> kernel_names_;
    std::vector<StepMark> steps_;  // of the first device that has them
    const XspacePlane* plane_of_steps_ = nullptr;
    LocalId lane_of_steps_ = 0;
    std::map<std::pair<LocalId, std::string>, uint32_t> threads_named_;  // by process and name
    HloPrograms programs_;
    uint64_t unread_metadata_ = 0;
    uint64_t damaged_programs_ = 0;
    uint64_t programs_left_out_ = 0;
    std::set<std::string> untried_;  // what was never seen in a real file
    uint64_t sums_ = 0;              // events without a time
    Result<void> stopped_;           // why the load ends early

    // State of the line that is being read.
    OnDevice device_;
    int32_t stream_ = -1;
    LocalId waits_ = 0;  // the lane for waits of its device
    std::vector<LocalId> async_lanes_;
    std::vector<XspaceParts> parts_;  // by event
    std::vector<uint8_t> lane_of_event_;
    std::size_t event_number_ = 0;
};

}  // namespace lanescope
