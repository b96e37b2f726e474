// One program that is being recorded: samples from outside, signals, and the end of the recording.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "app/commands/record_child.h"
#include "core/base/nanos.h"
#include "core/capture/cuda/nvml.h"
#include "core/capture/process/process_tree.h"
#include "core/capture/process/unreached.h"
#include "core/capture/python/python_sampler.h"
#include "core/capture/sampling/cpu_sampler.h"
#include "core/capture/spool/spool_recording.h"

namespace lanescope {

struct RunTimes {
    Nanos delay = 0;     // when to begin recording; 0: it has begun, or something else begins it
    Nanos duration = 0;  // how long after its begin to stop; 0: at the program's end
};

// The samplers of a run; null: there is none.
struct RunSamplers {
    CpuSampler* stacks = nullptr;
    PythonSampler* python = nullptr;

    void stop() const;
};

class RecordedRun {
  public:
    RecordedRun(SpoolRecording& recording, RunTimes times, RunSamplers samplers, pid_t child);

    // Returns when the program has ended, with its exit status.
    int follow(const WaitedSignals& signals);

    bool left_running() const { return left_running_; }
    // Whether the recording ever began.
    bool has_recorded() const;
    // Whether processes were started without the recorder's variables; the recording names them.
    bool has_unreached() const { return has_unreached_; }

  private:
    void follow_control(Nanos time);
    void stop();
    void finish();
    void sample(Nanos time);
    void report_unreached();
    void reap();

    SpoolRecording& recording_;
    RunTimes times_;
    RunSamplers samplers_;
    pid_t child_;
    ProcessTree tree_;
    UnreachedProcesses unreached_;
    std::unique_ptr<Nvml> nvml_;
    std::optional<int> status_;
    bool sampled_ = false;
    Nanos begin_ = 0;                      // of the run
    std::optional<Nanos> first_recorded_;  // when the recording was first seen to record
    bool has_paused_ = false;
    std::optional<Nanos> stopped_at_;
    bool finished_ = false;
    bool left_running_ = false;
    bool has_unreached_ = false;
};

}  // namespace lanescope
