// Captures traces of PyTorch processes, from the request to the finished trace file; shared by the
// command line and the window.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/capture/kineto/kineto_targets.h"

namespace lanescope {

// How to start a process so that it can be captured, in one sentence.
extern const char* const kHowToStart;

// The state of a process that did nothing while it was captured.
inline constexpr const char* kUnused = "unused";

// The result of one capture.
struct CaptureOutcome {
    int32_t pid = 0;
    std::string state;    // the text of name_of()
    std::string file;     // empty: none
    std::string problem;  // empty: none

    friend bool operator==(const CaptureOutcome&, const CaptureOutcome&) = default;
};

using MoveTrace = std::function<Result<void>(const std::string& from, const std::string& to)>;

// Requests a capture of all processes. If there are several, they start together, after the time
// within which each of them polls for its configuration. Errors: those of KinetoTargets::request;
// requests before the error remain.
Result<void> begin_captures(KinetoTargets& targets, std::span<const int32_t> pids,
                            const CaptureOptions& options, CaptureTime now);
bool any_under_way(const KinetoTargets& targets, std::span<const int32_t> pids);

// The same through a dynolog daemon on this machine. Returns the processes that will record, which
// follow_by_file() then follows. Errors: those of request_by_dynolog, or no process records.
Result<std::vector<KinetoTarget>> begin_by_dynolog(uint16_t port, const std::vector<int32_t>& pids,
                                                   const CaptureOptions& options, CaptureTime now);
// Updates the target's state from the clock and its output file.
void follow_by_file(KinetoTarget& target, CaptureTime now);

// Whether traces can be written under this name. Errors: the folder does not exist or is not
// writable.
Result<void> check_trace_folder(const std::string& requested);
// The file name of a process's trace: the requested name, with the pid added if there are several
// processes; without a requested name, trace_PID.json.
std::string trace_name(const std::string& requested, int32_t pid, bool several);
// Moves a complete trace to its destination by `move`; the outcome gives the reason if that fails,
// and names the file that remains or may still be written. The trace of a process that did nothing,
// such as a launcher, is removed, and its state is "unused".
CaptureOutcome take_capture(const KinetoTarget& target, const std::string& name,
                            const MoveTrace& move);
CaptureOutcome take_capture(const KinetoTarget& target, const std::string& name);

}  // namespace lanescope
