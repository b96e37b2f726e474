// Samples the stacks of a process and its descendants from outside, with the kernel's perf events.
// One thread reads the rings; another writes samples to the spool, because looking up symbols takes
// time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/capture/spool/spool_writer.h"

namespace lanescope {

// A prime, so that samples do not stay in step with periodic work of a program.
inline constexpr uint32_t kUsualSampleRate = 997;  // a second of CPU time
inline constexpr uint32_t kMaxSampleRate = 10'000;

struct SamplerOptions {
    uint32_t rate = kUsualSampleRate;  // per second of CPU time, from 1 to kMaxSampleRate
    bool off_cpu = false;              // also records when threads did not run
    Nanos shortest_wait = 1'000'000;   // shorter ones are only counted
};

class CpuSampler {
  public:
    // For a process that is about to call exec(), which starts the sampling. Errors: the kernel
    // refuses; the message says what to do.
    static Result<std::unique_ptr<CpuSampler>> open(pid_t pid, const SamplerOptions& options);
    // For a running process and its descendants, which start() begins to sample. Errors: `usage`,
    // there is no such process; `io`, the kernel refuses; the message says what to do.
    static Result<std::unique_ptr<CpuSampler>> attach(pid_t pid, const SamplerOptions& options);
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
    uint64_t waits() const;
    bool sees_kernel_time() const;
    // Whether the stacks of waiting threads are known.
    bool sees_wait_stacks() const;

  private:
    struct State;
    explicit CpuSampler(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
