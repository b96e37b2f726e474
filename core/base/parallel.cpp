#include "core/base/parallel.h"

#include <pthread.h>

namespace lanescope {

namespace {

// Not destroyed: at the end of the process idle threads would only delay it.
ThreadPool*& pool_of_process() {
    static ThreadPool* pool = [] {
        // A child has none of its parent's threads, so that it needs a pool of its own.
        pthread_atfork(nullptr, nullptr, [] { pool_of_process() = new ThreadPool; });
        return new ThreadPool;
    }();
    return pool;
}

}  // namespace

ThreadPool& thread_pool() {
    return *pool_of_process();
}

}  // namespace lanescope
