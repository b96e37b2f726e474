// The lane of steps: one box for each step of a process, with what limits the step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/trace/slice.h"

namespace lanescope {

struct StepBox {
    TimeRange range;  // on the host; absolute
    // Where the GPU is behind, or the host ahead: the time of the step's work on its device, and
    // its text there: "#6 · 25 ms on the GPU · GPU busy 99.9 % · device-bound". `text` then ends
    // with "10 ms on the host".
    std::optional<TimeRange> device;
    std::string device_text;
    std::vector<std::string> device_shorter;
    SliceRef slice;    // none if no slice has that range
    std::string name;  // "ProfilerStep#6"
    // "ProfilerStep#6 · 4.426 ms · GPU busy 7.0 % · overhead-bound", or "… · mixed: other idle 40.0
    // %, GPU work 35.0 %". The limiting factor is shown if known. A server's step also shows its
    // batch: "step 3 · decode of 32 requests · 11 ms · …".
    std::string text;
    // Shorter texts for less room, the longest first: "#6 · 4.426 ms · overhead-bound",
    // "#6 · 4.426 ms", "#6"; "step 6 · 4.426 ms" where steps have no such names.
    std::vector<std::string> shorter;
};

// The steps of the process with most GPU time in its steps; without GPU work, with most steps. By
// begin. A trace may have steps in several processes, but only the steps of one follow each other.
std::vector<StepBox> step_lane(const TraceContext& context);

}  // namespace lanescope
