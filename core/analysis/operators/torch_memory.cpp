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
        OfProcess& of = processes_[trace.lanes[memory.lane[i]].process];
        std::array<int64_t, 2> sum = of.before.back();
        sum[is_cpu_memory(memory.device_type[i]) ? 0 : 1] += memory.bytes[i];
        of.time.push_back(memory.time[i]);
        of.before.push_back(sum);
    }
    for (OfProcess& of : processes_) of.time.push_back(std::numeric_limits<Nanos>::max());
}

std::array<int64_t, 2> MemorySums::between(const OfProcess& of, std::size_t first, Nanos end) {
    const std::size_t count = of.time.size() - 1;
    // Exponential search for the end: most calls are short.
    std::size_t step = 1;
    while (first + step <= count && of.time[first + step - 1] <= end) step *= 2;
    const auto from = of.time.begin() + static_cast<std::ptrdiff_t>(first + step / 2);
    const auto to = of.time.begin() + static_cast<std::ptrdiff_t>(std::min(first + step, count));
    const auto last = static_cast<std::size_t>(std::upper_bound(from, to, end) - of.time.begin());
    const auto& a = of.before[first];
    const auto& b = of.before[last];
    return {b[0] - a[0], b[1] - a[1]};
}

}  // namespace lanescope
