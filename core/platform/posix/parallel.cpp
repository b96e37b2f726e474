#include "core/base/parallel.h"

#include <pthread.h>

#include <atomic>

namespace lanescope {

namespace {

// The pool is never destroyed, because joining idle threads would delay the end of the process. It
// is no static variable of a function: a thread may fork while another one makes the pool, and the
// child would wait for that other thread, which it does not have.
std::atomic<ThreadPool*> the_pool = nullptr;

// A child has none of its parent's threads, so it makes a pool of its own when it needs one.
const int kForksAreHandled = pthread_atfork(nullptr, nullptr, [] { the_pool = nullptr; });

}  // namespace

ThreadPool& thread_pool() {
    ThreadPool* pool = the_pool;
    if (pool) return *pool;
    auto* const made = new ThreadPool;
    if (the_pool.compare_exchange_strong(pool, made)) return *made;
    delete made;  // another thread was faster
    return *pool;
}

}  // namespace lanescope
