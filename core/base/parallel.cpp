#include "core/base/parallel.h"

namespace lanescope {

ThreadPool& thread_pool() {
    // Not destroyed: at the end of the process idle threads would only delay it.
    static ThreadPool& pool = *new ThreadPool;
    return pool;
}

}  // namespace lanescope
