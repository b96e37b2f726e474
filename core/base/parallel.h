// parallel_for: a loop whose rounds are independent, on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace lanescope {

// Calls work(i) for every i in [0, count) on up to `workers` threads, the calling one included;
// fewer when the system gives no more. What `work` throws (no memory) is thrown again here, when
// all threads have ended; the rounds that are left are then not begun.
template <typename Work>
void parallel_for(unsigned workers, std::size_t count, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr thrown;
    const auto run = [&] {
        try {
            for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
        } catch (...) {
            next.store(count);
            const std::scoped_lock lock(mutex);
            thrown = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(workers);
    try {
        for (unsigned i = 1; i < workers && i < count; ++i) threads.emplace_back(run);
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): goes on with fewer
    }
    run();
    for (std::thread& thread : threads) thread.join();
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace lanescope
