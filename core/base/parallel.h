// parallel_for: a loop whose rounds are independent, on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace lanescope {

// Calls work(i) for every i in [0, count) on up to `workers` threads, the calling one included.
// `work` must not throw.
template <typename Work>
void parallel_for(unsigned workers, std::size_t count, const Work& work) {
    std::atomic<std::size_t> next{0};
    const auto run = [&] {
        for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < workers && i < count; ++i) threads.emplace_back(run);
    run();
    for (std::thread& thread : threads) thread.join();
}

}  // namespace lanescope
