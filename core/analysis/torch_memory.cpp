#include "core/analysis/torch_memory.h"

#include <algorithm>

namespace lanescope {

namespace {

// torch's DeviceType: CPU 0, MKLDNN 2 and IDEEP 5 lie in the machine's own memory.
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
}

std::array<int64_t, 2> MemorySums::between(uint32_t process, Nanos begin, Nanos end) const {
    if (process >= processes_.size()) return {0, 0};
    const OfProcess& of = processes_[process];
    const auto first = std::lower_bound(of.time.begin(), of.time.end(), begin) - of.time.begin();
    const auto last = std::upper_bound(of.time.begin(), of.time.end(), end) - of.time.begin();
    if (last <= first) return {0, 0};
    const auto& a = of.before[static_cast<std::size_t>(first)];
    const auto& b = of.before[static_cast<std::size_t>(last)];
    return {b[0] - a[0], b[1] - a[1]};
}

}  // namespace lanescope
