// One Python process that is being sampled.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/nanos.h"
#include "core/capture/python/python_code.h"
#include "core/capture/python/python_memory.h"
#include "core/capture/python/python_process.h"
#include "core/capture/python/python_sampler.h"
#include "core/capture/python/python_stack.h"
#include "core/capture/python/python_threads.h"
#include "core/capture/python/python_writer.h"

namespace lanescope {

class SampledPython {
  public:
    // `memory` and `writer` must outlive this object.
    SampledPython(uint32_t pid, TargetMemory& memory, const PythonTarget& target,
                  PythonWriter& writer);

    // Takes a sample of each thread. `period`: nominal time between samples, for threads without
    // an earlier one.
    void sample(Nanos period);
    // Whether the process still runs this interpreter, as opposed to another program.
    bool is_there() const;
    const PythonSampleCounts& counts() const { return counts_; }

  private:
    void sample_thread(const PythonThreadState& state, Nanos period);
    PythonRead read_calls(uint64_t thread);
    void number_calls();

    uint32_t pid_;
    TargetMemory& memory_;
    PythonTarget target_;
    PythonWriter& writer_;
    PythonStacks stacks_;
    PythonCodes codes_;
    ThreadWatch watch_;
    std::unordered_map<uint32_t, Nanos> sampled_;  // times of the last samples, by tid
    PythonSampleCounts counts_;
    // The following members belong to the sample that is being taken.
    std::vector<PythonFrame> calls_;
    bool is_cut_ = false;                        // there are deeper calls, which are not shown
    std::span<const PythonCodes::Found> found_;  // the code of each call
    std::vector<uint64_t> addresses_;
    std::vector<uint32_t> numbers_;
};

}  // namespace lanescope
