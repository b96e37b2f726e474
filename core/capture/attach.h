// Having PyTorch processes record, from the request to the trace in its place: what the command
// line and the window do alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/capture/kineto_targets.h"

namespace lanescope {

// What a process needs that is to be captured, a sentence.
extern const char* const kHowToStart;

// What came of one capture.
struct CaptureOutcome {
    int32_t pid = 0;
    std::string state;    // as name_of() has it
    std::string file;     // empty: none
    std::string problem;  // empty: none

    friend bool operator==(const CaptureOutcome&, const CaptureOutcome&) = default;
};

// Asks all of them to record; several begin together, when the last of them must have asked.
// Errors: those of KinetoTargets::request; what was asked of others before stays asked.
Result<void> begin_captures(KinetoTargets& targets, std::span<const int32_t> pids,
                            const CaptureOptions& options, CaptureTime now);
bool any_under_way(const KinetoTargets& targets, std::span<const int32_t> pids);

// The same by a dynolog that runs here: those that will record, to be followed by their files.
// Errors: those of request_by_dynolog, or it had none record.
Result<std::vector<KinetoTarget>> begin_by_dynolog(uint16_t port, const std::vector<int32_t>& pids,
                                                   const CaptureOptions& options, CaptureTime now);
// How far such a one is, by the clock and its file.
void follow_by_file(KinetoTarget& target, CaptureTime now);

// The name of a process's trace: as asked for, with the pid in it where there are several; without
// a name, trace_PID.json.
std::string trace_name(const std::string& asked, int32_t pid, bool several);
// Moves its trace there when it is complete; why not, otherwise.
CaptureOutcome take_capture(const KinetoTarget& target, const std::string& name);

}  // namespace lanescope
