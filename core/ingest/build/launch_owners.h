// Which process launched the work of a GPU, in files with several processes: ranks that were merged
// into one file have the same correlations.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/ingest/build/calls_by_correlation.h"
#include "core/trace/trace.h"

namespace lanescope {

class LaunchOwners {
  public:
    // Finds the process that launches the work of each GPU, a process of the trace, and fills
    // Process::owner, by the first of these that decides: the owner in the file; the names of both
    // ("RANK 1 - GPU", "RANK 1 - CPU"); correlations and external ids that only one process has;
    // the order of calls and of work with the same correlation.
    LaunchOwners(Trace& trace, CallsByCorrelation& calls);

    // The call that launched an activity, a row of Trace::runtime_calls; kNoRow: the calls with its
    // correlation are of several processes, and nothing says which of them it was, or none is of
    // the process that launches this GPU's work.
    uint32_t launch_of(uint32_t activity, CallsByCorrelation::Run run) const;
    // Whether the format says which process used the GPU of an activity.
    bool is_stated(uint32_t activity) const { return is_stated_[gpu_of(activity)]; }

  private:
    struct Votes {
        uint64_t sure = 0;
        uint64_t likely = 0;
    };
    using VotesByProcess = std::map<uint32_t, Votes>;  // by the process of the calls

    void vote(uint32_t activity, CallsByCorrelation::Run run);
    void vote_by_order(CallsByCorrelation& calls);
    void decide();
    void decide_by_names();
    // The only process whose calls fit the activity's correlation and external id; else kNoRow.
    uint32_t only_process(uint32_t activity, CallsByCorrelation::Run run) const;
    uint32_t process_of(uint32_t call) const {
        return trace_.lanes[trace_.runtime_calls.slice[call].lane].process;
    }
    uint32_t gpu_of(uint32_t activity) const {
        return trace_.lanes[trace_.gpu_activities.slice[activity].lane].process;
    }

    const Trace& trace_;
    const CallsByCorrelation& calls_;
    bool several_ = false;                      // processes with calls
    std::map<uint32_t, VotesByProcess> votes_;  // by the process of the GPU
    std::vector<uint32_t> owner_;               // by process; kNoRow: not known
    std::vector<bool> is_stated_;               // by process: the format says its owner
};

}  // namespace lanescope
