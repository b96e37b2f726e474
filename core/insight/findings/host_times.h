// The times in which a program without a GPU communicates, computes and loads data. The rules about
// GPUs use them for such a program.
#pragma once

#include "core/insight/findings/rule.h"

namespace lanescope {

struct HostTimes {
    Intervals steps;          // without those of warm-up, or everything, in the query's range
    Intervals communication;  // any collective on the CPU (Gloo's, MPI's)
    Intervals computing;      // any operator
    Intervals loading;        // any call of a data loader

    Intervals exposed() const { return subtract(intersect(communication, steps), computing); }

    static HostTimes of(const RuleInput& input);
};

// A finding about these times, which belongs to no GPU; none if `time` has less than `min_share` of
// the steps.
std::optional<Finding> host_time_finding(const HostTimes& host, const Intervals& time,
                                         double min_share);

}  // namespace lanescope
