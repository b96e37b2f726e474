// LiveTrace: a growing trace. It takes batches as a TraceBuilder does, and returns a snapshot of
// the trace so far on request.
//
// Slices are sealed into chunks, which all later snapshots share: a snapshot only lays out the tail
// of each lane, some thousand slices. A slice that arrives late and begins before sealed slices is
// drawn at the first free depth; when the whole file is loaded, the slice may be drawn at a smaller
// depth.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ingest/build/trace_builder.h"
#include "core/trace/trace.h"

namespace lanescope {

class LiveTrace {
  public:
    explicit LiveTrace(FormatSteps format = {});
    ~LiveTrace();
    LiveTrace(const LiveTrace&) = delete;
    LiveTrace& operator=(const LiveTrace&) = delete;

    // See TraceBuilder.
    void append(const Batch& batch);
    void warn(const std::string& code, uint64_t byte_offset, std::string_view text);
    // Replaces the members beside the events, whose values are JSON, and the devices.
    void set_facts(std::vector<std::pair<std::string, std::string>> members,
                   std::vector<Device> devices);

    // Everything that has arrived and was not dropped. `open`: ranges that have not ended, as
    // complete events up to the present; only this snapshot contains them. Side tables and links
    // cover sealed slices, and are rebuilt when these have grown by a quarter.
    Trace snapshot(std::span<const Batch> open);

    // Drops whole chunks that ended before `time`, so some older slices remain.
    void forget_before(Nanos time);

    uint64_t event_count() const;
    // Times of the first event that is kept and of the last one; equal if there is none.
    Nanos kept_from() const;
    Nanos last_time() const;
    // Bytes of the chunks that snapshots share, and of the tail.
    uint64_t bytes() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
