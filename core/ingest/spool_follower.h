// Follows a spool file that is being written: snapshots of the trace so far.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/capture/spool_format.h"
#include "core/trace/trace.h"

namespace lanescope {

// Whether there is a spool file.
bool is_spool_file(const std::string& path);
// Whether it grows as well: its recorder has not finished it, and runs on this machine.
bool is_growing_spool(const std::string& path);

// What is known of a recording beside its trace.
struct FollowStatus {
    std::string command;
    SpoolControl control = kSpoolRecording;
    bool complete = false;       // the recorder has finished
    bool recorder_gone = false;  // without having finished
    uint64_t file_bytes = 0;
    uint64_t dropped = 0;  // records
    Nanos ring = 0;        // the recorder keeps only the last so much; 0: everything
    Nanos shown = 0;       // from the first thing that is shown to the last
    uint64_t memory_bytes = 0;
    uint64_t memory_cap = 0;
    bool memory_full = false;  // what came first was given up for it; it stays in the file
};

class SpoolFollower {
  public:
    // A quarter of the machine's memory, at most 4 GiB.
    static uint64_t usual_memory_cap();

    // `memory_cap`: bytes that the trace may take; what came first is given up beyond it. Errors:
    // as of SpoolDecoder.
    static Result<std::unique_ptr<SpoolFollower>> open(const std::string& path,
                                                       uint64_t memory_cap);
    ~SpoolFollower();
    SpoolFollower(const SpoolFollower&) = delete;
    SpoolFollower& operator=(const SpoolFollower&) = delete;

    // Reads what was written since. A snapshot; null when there is nothing new, or nothing at all.
    // Errors: the file cannot be read, is gone, has become shorter, or another stands in its place.
    Result<TracePtr> step();
    const FollowStatus& status() const;

  private:
    struct State;
    explicit SpoolFollower(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Has the programs that write to a spool record, pause or stop. Errors: no spool, or one that we
// may not write to.
Result<void> control_spool(const std::string& path, SpoolControl control);

}  // namespace lanescope
