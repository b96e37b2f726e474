// The PyTorch processes that have told a daemon of themselves, and how far the capture of each is.
// Knows nothing of sockets and clocks: it is told what arrived and when.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/capture/kineto_config.h"
#include "core/capture/kineto_message.h"

namespace lanescope {

enum class CaptureState {
    idle,        // nothing was asked of it
    busy,        // it is being profiled by somebody else
    waiting,     // for it to ask for its configuration
    warming_up,  // it has taken it
    collecting,
    writing,
    complete,  // the file is there
    failed,    // `problem` says why
};
const char* name_of(CaptureState state);

struct KinetoTarget {
    int32_t pid = 0;      // as the daemon's pid namespace has it
    int32_t own_pid = 0;  // as its own has it
    int64_t job_id = 0;
    CaptureState state = CaptureState::idle;
    bool takes_activities = false;  // at its last request
    CaptureTime heard;              // when it last asked
    bool was_busy = false;          // since it took its configuration
    bool rests = false;             // it has said so since …
    CaptureTime rested;             // … first here
    CaptureTime begins, ends;       // when it is thought to collect; of a duration
    CapturePlan plan;
    std::string config;  // what is to be given to it; empty once it is
    std::string file;    // that it is to write, as the daemon sees it
    std::string problem;

    bool under_way() const {
        return state == CaptureState::waiting || state == CaptureState::warming_up ||
               state == CaptureState::collecting || state == CaptureState::writing;
    }
};

// What is asked of the system, so that tests can answer.
struct CaptureSystem {
    std::function<bool(int32_t pid)> is_alive;
    // A file of a process, by the name that it has there, as the daemon can open it.
    std::function<std::string(int32_t pid, const std::string& file)> file_of;
    std::function<bool(const std::string& file)> is_written;
};

class KinetoTargets {
  public:
    explicit KinetoTargets(CaptureSystem system) : system_(std::move(system)) {}

    // Takes a message of the process `pid` and gives the datagram to answer with.
    std::string answer(const KinetoMessage& message, int32_t pid, CaptureTime now);

    // Has the process record when it next asks. Errors: it is not known, is under way already, or
    // the plan cannot be put in words.
    Result<void> request(int32_t pid, const CapturePlan& plan);
    // Takes back what it has not taken yet. What it has taken it will write all the same; nobody
    // waits for that any more.
    void cancel(int32_t pid);

    // Looks for files that are there, processes that are gone, and time that has passed; forgets
    // idle ones that were not heard of for a minute.
    void update(CaptureTime now);

    std::span<const KinetoTarget> targets() const { return targets_; }
    const KinetoTarget* find(int32_t pid) const;

  private:
    KinetoTarget* target(int32_t pid);
    static void note_rest(KinetoTarget& target, CaptureTime now);
    void give_config(KinetoTarget& target, CaptureTime now);
    void follow(KinetoTarget& target, CaptureTime now);

    CaptureSystem system_;
    std::vector<KinetoTarget> targets_;  // in the order in which they were first heard
};

}  // namespace lanescope
