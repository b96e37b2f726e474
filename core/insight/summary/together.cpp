#include "core/insight/summary/together.h"

#include <algorithm>
#include <thread>

namespace lanescope {

namespace {

constexpr uint64_t kFewSlices = 200'000;

}  // namespace

unsigned threads_for(const Trace& trace) {
    if (trace.slice_count() < kFewSlices) return 1;
    return std::max(1U, std::thread::hardware_concurrency());
}

void run_together(const Trace& trace, std::initializer_list<std::function<void()>> parts) {
    parallel_for(threads_for(trace), parts.size(), [&](std::size_t i) { parts.begin()[i](); });
}

}  // namespace lanescope
