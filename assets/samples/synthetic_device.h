// The simulated GPU of the synthetic sample: its properties, and Kineto's figures of a launch on
// it.
#pragma once

#include <string>
#include <string_view>

#include "assets/samples/synthetic_machine.h"

namespace synthetic {

inline constexpr int kSms = 40;
inline constexpr int kThreadsPerSm = 2048;
inline constexpr int64_t kFlopPerNano = 80'000;  // 80 TFLOP/s in bfloat16
inline constexpr int64_t kBytesPerNano = 900;    // 900 GB/s

// The file's text before its first event.
extern const std::string_view kDocumentHead;
// The metadata events that name and order processes and rows.
extern const std::string_view kNamesOfRows;

// A fixed start-up time, plus the larger of computing time and memory time at `percent` of the
// peak.
Nanos kernel_duration(int64_t flop, int64_t bytes, int percent);

// Blocks of the kernel that fit on one SM; 0 when a block asks for more shared memory than the
// default limit.
int active_blocks_per_sm(const Kernel& kernel);

// "est. achieved occupancy %" as Kineto computes it, with the default limit of shared memory for a
// block.
int kineto_occupancy_percent(const Kernel& kernel);

}  // namespace synthetic
