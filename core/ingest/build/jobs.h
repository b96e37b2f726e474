// Jobs: independent pieces of work that run in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/parallel.h"

namespace lanescope {

class Jobs {
  public:
    // `size`: the approximate number of values that the job reads or writes; the longest job begins
    // first.
    void add(std::size_t size, std::function<void()> work) {
        jobs_.push_back({size, std::move(work)});
    }

    // Runs all jobs added since the last call, on up to `workers` threads. Rethrows their
    // exceptions.
    void run(unsigned workers) {
        std::vector<Job> jobs = std::exchange(jobs_, {});
        std::stable_sort(jobs.begin(), jobs.end(),
                         [](const Job& a, const Job& b) { return a.size > b.size; });
        parallel_for(workers, jobs.size(), [&](std::size_t i) { jobs[i].work(); });
    }

  private:
    struct Job {
        std::size_t size;
        std::function<void()> work;
    };
    std::vector<Job> jobs_;
};

}  // namespace lanescope
