// parallel_for: a loop with independent iterations, run on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

#include "core/base/threads.h"

namespace lanescope {

// Calls work(i) for every i in [0, count) on up to `workers` threads, including the calling one; on
// fewer threads if the system refuses more. If `work` throws (out of memory), the remaining
// iterations are skipped and the exception is rethrown here after all threads have ended.
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
