// WorkList: independent pieces of work that run in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/parallel.h"

namespace lanescope {

class WorkList {
  public:
    // `size`: the approximate number of values that `work` reads or writes; the longest begins
    // first.
    void add(std::size_t size, std::function<void()> work) {
        items_.push_back({size, std::move(work)});
    }

    // Runs all items added since the last call, on up to `workers` threads. Rethrows their
    // exceptions.
    void run(unsigned workers) {
        std::vector<Item> items = std::exchange(items_, {});
        std::stable_sort(items.begin(), items.end(),
                         [](const Item& a, const Item& b) { return a.size > b.size; });
        parallel_for(workers, items.size(), [&](std::size_t i) { items[i].work(); });
    }

  private:
    struct Item {
        std::size_t size;
        std::function<void()> work;
    };
    std::vector<Item> items_;
};

}  // namespace lanescope
