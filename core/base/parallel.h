// The process's thread pool, and loops on it.
#pragma once

#include <cstddef>

#include "core/base/thread_pool.h"

namespace lanescope {

// Threads belong to the process, so all code shares one pool; it has no thread until one is needed.
ThreadPool& thread_pool();

// ThreadPool::parallel_for of the process's pool.
template <typename Work>
void parallel_for(unsigned workers, std::size_t count, const Work& work) {
    thread_pool().parallel_for(workers, count, work);
}

}  // namespace lanescope
