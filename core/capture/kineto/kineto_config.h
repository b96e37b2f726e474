// What a PyTorch process has to record: the text of a Kineto configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace lanescope {

using CaptureTime = std::chrono::system_clock::time_point;

struct CaptureOptions {
    std::chrono::milliseconds duration{500};
    int iterations = 0;  // if above 0: a number of optimizer steps instead of a duration
    std::chrono::seconds warm_up{1};
    bool shapes = false;
    bool stack = false;
    bool memory = false;
    bool flops = false;
    bool modules = false;

    friend bool operator==(const CaptureOptions&, const CaptureOptions&) = default;
};

struct CapturePlan {
    CaptureOptions options;
    std::string file;       // as the process sees it; the process adds its pid to the name
    CaptureTime start{};    // if recording for a duration; the epoch: as soon as possible
    uint64_t trace_id = 0;  // stored in the trace as trace_id
};

// Errors: a file name that the text cannot hold (= # or a newline), that is not absolute, contains
// ".." or does not end in .json; no duration.
Result<std::string> kineto_config(const CapturePlan& plan);

// The name under which a process with this pid (in its own namespace) writes the plan's file.
std::string kineto_file_name(const std::string& file, int32_t pid);

}  // namespace lanescope
