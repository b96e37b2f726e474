#include "core/analysis/operators/torch_memory.h"

#include <algorithm>
#include <limits>

namespace lanescope {

namespace {

// In torch's DeviceType, CPU 0, MKLDNN 2 and IDEEP 5 are host memory.
bool is_cpu_memory(int32_t device_type) {
    return device_type == 0 || device_type == 2 || device_type == 5;
}

}  // namespace

MemorySums::MemorySums(const Trace& trace) {
    const MemoryEvents& memory = trace.memory_events;
    if (memory.time.empty()) return;
    processes_.resize(trace.processes.size());
    for (std::size_t i = 0; i < memory.time.size(); ++i) {
        if (memory.bytes[i] == kNoValue) continue;
        OfProcess& process = processes_[trace.lanes[memory.lane[i]].process];
        std::array<int64_t, 2> sum = process.before.back();
        sum[is_cpu_memory(memory.device_type[i]) ? 0 : 1] += memory.bytes[i];
        process.time.push_back(memory.time[i]);
        process.before.push_back(sum);
    }
    for (OfProcess& process : processes_) process.time.push_back(std::numeric_limits<Nanos>::max());
}

std::array<int64_t, 2> MemorySums::between(const OfProcess& process, std::size_t first, Nanos end) {
    const std::size_t count = process.time.size() - 1;
    // Exponential search for the end: most calls are short.
    std::size_t step = 1;
    while (first + step <= count && process.time[first + step - 1] <= end) step *= 2;
    const auto from = process.time.begin() + static_cast<std::ptrdiff_t>(first + step / 2);
    const auto to =
        process.time.begin() + static_cast<std::ptrdiff_t>(std::min(first + step, count));
    const auto last =
        static_cast<std::size_t>(std::upper_bound(from, to, end) - process.time.begin());
    const auto& a = process.before[first];
    const auto& b = process.before[last];
    return {b[0] - a[0], b[1] - a[1]};
}

}  // namespace lanescope
