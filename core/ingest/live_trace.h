// LiveTrace: a trace that grows. It takes batches as a TraceBuilder does and gives a snapshot of
// what has come whenever it is asked.
//
// Slices are sealed into chunks, which all later snapshots share: a snapshot lays out only the tail
// of each lane, some thousand slices. A slice that comes late, and begins before what is sealed, is
// drawn at the first depth that is free; loaded as a whole, the file may have it higher.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ingest/batch.h"
#include "core/trace/trace.h"

namespace lanescope {

class LiveTrace {
  public:
    LiveTrace();
    ~LiveTrace();
    LiveTrace(const LiveTrace&) = delete;
    LiveTrace& operator=(const LiveTrace&) = delete;

    // As TraceBuilder has them.
    void append(const Batch& batch);
    void warn(const std::string& code, uint64_t byte_offset, std::string_view text);
    // Members beside the events, in place of those of before; values are JSON.
    void set_metadata(std::vector<std::pair<std::string, std::string>> members);

    // All that has come and was not given up. `open`: ranges that have not ended, as complete
    // events up to now; they are in this snapshot alone. Side tables and links hold what is sealed,
    // and are made anew when they have grown by a quarter.
    Trace snapshot(std::span<const Batch> open);

    // Gives up what ended before `time`, by whole chunks and so not all of it.
    void forget_before(Nanos time);

    uint64_t event_count() const;
    // Of the first thing that is kept, and of the last that came; the same when there is nothing.
    Nanos kept_from() const;
    Nanos last_time() const;
    // Of all that snapshots share, and of the tail.
    uint64_t bytes() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
