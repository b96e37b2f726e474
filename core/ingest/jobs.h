// Jobs: different pieces of work of which none needs another, to be done side by side.
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
    // `size`: roughly how many values it reads or writes; the longest job is begun first.
    void add(std::size_t size, std::function<void()> work) {
        jobs_.push_back({size, std::move(work)});
    }

    // Does all that were added since the last time, on up to `workers` threads. Throws what they
    // throw.
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
