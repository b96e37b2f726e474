// Samples the stacks of a process and of all that it starts, from outside: perf events of the
// kernel, taken from their rings by a thread of this process and written into the spool by another,
// since looking for symbols takes its time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/capture/spool_writer.h"

namespace lanescope {

// A prime, so that samples do not keep step with what a program does every millisecond.
inline constexpr uint32_t kUsualSampleRate = 997;  // a second of CPU time
inline constexpr uint32_t kMostSampleRate = 10'000;

class CpuSampler {
  public:
    // For a process that is about to call exec(), and with that begins to be sampled. `rate`: of
    // samples a second of CPU time, from 1 to kMostSampleRate. Errors: the kernel refuses; the text
    // says what to do.
    static Result<std::unique_ptr<CpuSampler>> open(pid_t pid, uint32_t rate);
    // Stops where that was not done.
    ~CpuSampler();
    CpuSampler(const CpuSampler&) = delete;
    CpuSampler& operator=(const CpuSampler&) = delete;

    // Writes samples into `file`, which outlives it, from now on.
    void start(const SpoolFile& file);
    // Takes what the rings still hold, and ends; the sampled processes go on.
    void stop();

    // After stop().
    uint64_t samples() const;
    uint64_t lost() const;
    bool sees_kernel_time() const;

  private:
    struct State;
    explicit CpuSampler(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
