// Samples the stacks of a process and its descendants from outside, with the kernel's perf events.
// One thread reads the rings; another writes samples to the spool, because looking up symbols takes
// time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "core/capture/spool_writer.h"

namespace lanescope {

// A prime, so that samples do not stay in step with periodic work of a program.
inline constexpr uint32_t kUsualSampleRate = 997;  // a second of CPU time
inline constexpr uint32_t kMaxSampleRate = 10'000;

class CpuSampler {
  public:
    // For a process that is about to call exec(), which starts the sampling. `rate`: samples per
    // second of CPU time, from 1 to kMaxSampleRate. Errors: the kernel refuses; the message says
    // what to do.
    static Result<std::unique_ptr<CpuSampler>> open(pid_t pid, uint32_t rate);
    // Stops if stop() was not called.
    ~CpuSampler();
    CpuSampler(const CpuSampler&) = delete;
    CpuSampler& operator=(const CpuSampler&) = delete;

    // From now on, writes samples into `file`, which must outlive the sampler.
    void start(const SpoolFile& file);
    // Reads what the rings still contain, and ends; the sampled processes continue.
    void stop();

    // Valid after stop().
    uint64_t samples() const;
    uint64_t lost() const;
    bool sees_kernel_time() const;

  private:
    struct State;
    explicit CpuSampler(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
