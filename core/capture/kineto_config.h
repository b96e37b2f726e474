// What a PyTorch process is told to record: the text of a Kineto configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace lanescope {

using CaptureTime = std::chrono::system_clock::time_point;

struct CaptureOptions {
    std::chrono::milliseconds duration{500};
    int iterations = 0;  // more than 0: so many steps of the optimizer instead of a duration
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
    std::string file;       // as the process sees it; it adds its pid to the name
    CaptureTime start{};    // the epoch: as soon as can be. Of a duration
    uint64_t trace_id = 0;  // lands in the trace as trace_id
};

// Errors: a file name that the text cannot hold (= # or a line's end), that is not absolute, climbs
// with "..", or does not end in .json; no duration.
Result<std::string> kineto_config(const CapturePlan& plan);

// The name that a process with this pid of its own gives to the file of a plan.
std::string kineto_file_name(const std::string& file, int32_t pid);

}  // namespace lanescope
