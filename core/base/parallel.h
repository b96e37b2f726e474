// parallel_for: a loop whose rounds are independent, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

#include "core/base/threads.h"

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
    on_threads(static_cast<unsigned>(std::min<std::size_t>(workers, count)),
               [&](unsigned) { run(); });
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace lanescope
