// Groups of threads for work that takes milliseconds.
#pragma once

#include <functional>

namespace lanescope {

// Calls work(i) for every i in [0, threads), each on a thread of its own, i = 0 on the calling one;
// ends when all have. Fewer where the system gives no more threads: work(0) is always called. Where
// there are as many cores as threads, each keeps to cores of its own meanwhile. `work` throws
// nothing.
void on_threads(unsigned threads, const std::function<void(unsigned)>& work);

}  // namespace lanescope
