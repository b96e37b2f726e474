// Samples the Python functions on the stacks of a process and its descendants, from outside: reads
// the memory of the running processes, and never stops them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "core/capture/spool/spool_writer.h"

namespace lanescope {

inline constexpr uint32_t kUsualPythonRate = 100;  // a second of wall-clock time
inline constexpr uint32_t kMaxPythonRate = 1000;

// How many stacks were written, and how many could not be read completely.
struct PythonSampleCounts {
    uint64_t samples = 0;  // written
    uint64_t partial =
        0;                // samples that lack their innermost functions, which changed during reads
    uint64_t failed = 0;  // not written, since the stack could not be read
};

class PythonSampler {
  public:
    // Samples `root` and its descendants `rate` times a second, from 1 to kMaxPythonRate, and
    // writes into `file`, which must outlive the sampler. Processes that become a Python or start
    // later are found within 0.2 s. What cannot be sampled is written into the file as a message,
    // once.
    PythonSampler(const SpoolFile& file, pid_t root, uint32_t rate);
    // Stops if stop() was not called.
    ~PythonSampler();
    PythonSampler(const PythonSampler&) = delete;
    PythonSampler& operator=(const PythonSampler&) = delete;

    void stop();

    // Valid after stop().
    PythonSampleCounts counts() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
