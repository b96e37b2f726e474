// The PyTorch processes that have contacted a daemon, and the state of each capture. Independent of
// sockets and clocks: callers pass in what arrived and when.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/capture/kineto/kineto_config.h"
#include "core/capture/kineto/kineto_message.h"

namespace lanescope {

enum class CaptureState {
    idle,        // no capture is requested
    busy,        // another profiler is active
    waiting,     // it has not yet asked for its configuration
    warming_up,  // it has its configuration
    collecting,
    writing,
    complete,  // the trace file exists
    failed,    // `problem` says why
};
const char* name_of(CaptureState state);

struct KinetoTarget {
    int32_t pid = 0;      // in the daemon's pid namespace
    int32_t own_pid = 0;  // in its own pid namespace
    int64_t job_id = 0;
    CaptureState state = CaptureState::idle;
    bool takes_activities = false;  // as of its last request
    CaptureTime heard;              // when it last asked
    bool was_busy = false;          // it has reported to be busy since it took its configuration
    bool is_idle = false;           // it has reported to be idle since its capture began
    CaptureTime idle_since;         // the time of the first such report
    CaptureTime begins, ends;       // expected time of collection, for a duration
    CapturePlan plan;
    std::string config;  // the configuration to deliver; empty once it is delivered
    std::string file;    // the file that it will write, under the name that the daemon uses
    std::string problem;

    bool under_way() const {
        return state == CaptureState::waiting || state == CaptureState::warming_up ||
               state == CaptureState::collecting || state == CaptureState::writing;
    }
};

// Queries to the system; tests replace them.
struct CaptureSystem {
    std::function<bool(int32_t pid)> is_alive;
    // Converts a process's name of a file to a name that the daemon can open.
    std::function<std::string(int32_t pid, const std::string& file)> file_of;
    std::function<bool(const std::string& file)> is_written;
};

class KinetoTargets {
  public:
    explicit KinetoTargets(CaptureSystem system) : system_(std::move(system)) {}

    // Processes a message of the process `pid` and returns the datagram to answer with.
    std::string answer(const KinetoMessage& message, int32_t pid, CaptureTime now);

    // Makes the process record when it next asks. Errors: the process is unknown, a capture is
    // running, or the plan cannot be written as a configuration.
    Result<void> request(int32_t pid, const CapturePlan& plan);
    // Cancels a configuration that has not been delivered. If it was delivered, the process writes
    // its trace, but nobody waits for it.
    void cancel(int32_t pid);

    // Checks for finished files, ended processes and elapsed time; forgets idle processes that were
    // silent for a minute.
    void update(CaptureTime now);

    std::span<const KinetoTarget> targets() const { return targets_; }
    const KinetoTarget* find(int32_t pid) const;

  private:
    KinetoTarget* target(int32_t pid);
    static void note_rest(KinetoTarget& target, CaptureTime now);
    void give_config(KinetoTarget& target, CaptureTime now);
    void follow(KinetoTarget& target, CaptureTime now);

    CaptureSystem system_;
    std::vector<KinetoTarget> targets_;  // in the order of their first message
};

}  // namespace lanescope
