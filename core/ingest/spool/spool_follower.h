// Follows a spool file while it is written: returns snapshots of the trace so far.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/spool/spool_records.h"
#include "core/trace/trace.h"

namespace lanescope {

// Whether the path is a spool file.
bool is_spool_file(const std::string& path);
// Whether the file also grows: its recorder has not finished and runs on this machine.
bool is_growing_spool(const std::string& path);

// Facts on a recording beside its trace.
struct FollowStatus {
    std::string command;
    SpoolControl control = kSpoolRecording;
    bool complete = false;       // the recorder has finished
    bool recorder_gone = false;  // without having finished
    uint64_t file_bytes = 0;
    uint64_t dropped = 0;  // records
    Nanos ring = 0;        // the recorder keeps only this much time; 0: everything
    Nanos shown = 0;       // from the first visible event to the last
    uint64_t memory_bytes = 0;
    uint64_t memory_cap = 0;
    // The oldest events were dropped for lack of memory; they remain in the file.
    bool memory_full = false;
};

class SpoolFollower {
  public:
    // A quarter of the machine's memory, at most 4 GiB.
    static uint64_t usual_memory_cap();

    // `memory_cap`: maximum size of the trace in bytes; the oldest events are dropped beyond it.
    // Errors: those of SpoolDecoder.
    static Result<std::unique_ptr<SpoolFollower>> open(const std::string& path,
                                                       uint64_t memory_cap);
    ~SpoolFollower();
    SpoolFollower(const SpoolFollower&) = delete;
    SpoolFollower& operator=(const SpoolFollower&) = delete;

    // Reads what was written since the last call. Returns a snapshot; null if there is nothing new
    // or nothing at all. Errors: the file cannot be read, is gone, has become shorter, or was
    // replaced.
    Result<TracePtr> step();
    const FollowStatus& status() const;

  private:
    struct State;
    explicit SpoolFollower(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Makes the programs that write to a spool record, pause or stop. Errors: not a spool, or no
// permission to write to it.
Result<void> control_spool(const std::string& path, SpoolControl control);

}  // namespace lanescope
