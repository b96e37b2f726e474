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
    explicit ProcessTree(uint32_t root) : root_(root) {}

    // Descendants are looked up once a second, and more often at first, so processes with shorter
    // lives may be missed.
    TreeUse sample(Nanos now);
    // The root and its descendants.
    std::span<const uint32_t> find(Nanos now);

  private:
    void find_processes();

    uint32_t root_;
    Nanos first_looked_ = INT64_MIN;
    Nanos looked_ = INT64_MIN / 2;
    Nanos sampled_ = 0;
    std::vector<uint32_t> pids_;
    std::map<uint32_t, Nanos> cpu_time_;  // by pid, at the last sample
};

// The children of all threads of a process.
std::vector<uint32_t> children_of(uint32_t pid);

}  // namespace lanescope
