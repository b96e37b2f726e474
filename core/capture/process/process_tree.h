// Samples the CPU time and memory of a process and its descendants from outside.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

struct TreeUse {
    double cpu_percent = 0;  // since the last sample; 100: one core
    double resident_bytes = 0;
    uint32_t processes = 0;
};

class ProcessTree {
  public:
    // `look_every`: how often descendants are looked up after the first second.
    explicit ProcessTree(uint32_t root, Nanos look_every = 1'000'000'000)
        : root_(root), look_every_(look_every) {}

    // Processes that live for a shorter time than `look_every` may be missed. In the first second,
    // descendants are looked up more often.
    TreeUse sample(Nanos now);
    // The root and its descendants.
    std::span<const uint32_t> find(Nanos now);

  private:
    void find_processes();

    uint32_t root_;
    Nanos look_every_;
    Nanos first_looked_ = INT64_MIN;
    Nanos looked_ = INT64_MIN / 2;
    Nanos sampled_ = 0;
    std::vector<uint32_t> pids_;
    std::map<uint32_t, Nanos> cpu_time_;  // by pid, at the last sample
};

// The children of all threads of a process.
std::vector<uint32_t> children_of(uint32_t pid);

}  // namespace lanescope
