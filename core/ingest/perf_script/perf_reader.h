// Reads the output of `perf script`: samples with stacks become nested slices, other events
// instants.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/ingest/perf_script/perf_lines.h"
#include "core/ingest/stacks/stack_slices.h"
#include "core/source/forward_text.h"

namespace lanescope {

// The position of an event's frame: the header's position plus the frame's depth, 1 for the
// outermost frame. Every frame's line is longer than one byte, so the position lies within the
// event.
inline uint64_t perf_frame_source(uint64_t header, std::size_t depth) {
    return header + depth;
}

class PerfScriptReader {
  public:
    PerfScriptReader(const ReadJob& job, TraceBuilder& builder);

    // Errors: the file cannot be read, or cancelled.
    Result<void> run();

  private:
    static constexpr uint32_t kNoStack = UINT32_MAX;
    struct StackNode {
        uint32_t caller = kNoStack;
        LocalId name = 0;
        LocalId module = 0;
    };
    struct Thread {
        LocalId process = 0;
        std::string tid;
        LocalId comm = 0;
        std::string cpu;  // CPU of an idle thread
    };
    struct Sample {
        Nanos time;
        int64_t period;  // as printed; 0: not printed
        uint64_t source;
        uint32_t thread;
        uint32_t event;
        uint32_t stack;  // index of the innermost frame
    };
    // The event that is being read.
    struct Open {
        bool is_open = false;
        bool has_text = false;  // the event is a tracepoint with a text
        Sample sample = {};
        PerfStack stack;
        std::vector<std::pair<LocalId, LocalId>> frames;  // names and libraries, innermost first
    };

    // perf_reader.cpp
    Result<void> read_lines();
    void take_line(std::string_view line, uint64_t position);
    void take_comment(std::string_view line);
    void begin_event(const PerfHeader& header, std::string_view line, uint64_t position);
    void take_frame(const PerfFrame& frame);
    void end_event();
    uint32_t thread_of(const PerfHeader& header, uint64_t position);
    void take(const Batch& batch);

    // perf_samples.cpp
    void add_events();
    std::set<uint32_t> events_of_time();
    Nanos interval_of(const std::set<uint32_t>& events);
    void add_events_of_thread(std::span<const Sample> samples, const std::set<uint32_t>& events,
                              Nanos interval);
    void stack_of(const Sample& sample);

    const ReadJob& job_;
    TraceBuilder& builder_;
    ForwardText text_;
    TraceSink sink_;
    Result<void> stopped_;  // why the load ends early
    uint64_t shown_ = 0;    // number of events without names
    Open open_;
    bool seen_event_ = false;
    std::vector<StackNode> stacks_;
    std::map<std::tuple<uint32_t, LocalId, LocalId>, uint32_t> stack_numbers_;
    std::map<std::string, LocalId, std::less<>> symbols_;  // LocalIds of the symbols' names
    std::map<LocalId, std::pair<LocalId, uint64_t>> process_names_;
    std::size_t comments_ = 0;
    std::vector<Thread> threads_;
    std::map<std::tuple<std::string, std::string, std::string>, uint32_t> thread_numbers_;
    std::vector<std::string> events_;
    std::vector<uint64_t> stacks_of_event_;  // number of samples with stacks, by event
    std::map<std::string, uint32_t, std::less<>> event_numbers_;
    std::vector<Sample> samples_;
    std::vector<StackEntry> stack_;
};

}  // namespace lanescope
