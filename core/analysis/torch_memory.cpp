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

std::array<int64_t, 2> MemorySums::between(uint32_t process, Nanos begin, Nanos end,
                                           std::size_t& near) const {
    if (process >= processes_.size()) return {0, 0};
    const OfProcess& of = processes_[process];
    const std::size_t count = of.time.size();
    while (near < count && of.time[near] < begin) ++near;
    if (near == count || of.time[near] > end) return {0, 0};
    // Most calls are short: the end is looked for in steps of doubled length.
    std::size_t step = 1;
    while (near + step <= count && of.time[near + step - 1] <= end) step *= 2;
    const auto from = of.time.begin() + static_cast<std::ptrdiff_t>(near + step / 2);
    const auto to = of.time.begin() + static_cast<std::ptrdiff_t>(std::min(near + step, count));
    const auto last = static_cast<std::size_t>(std::upper_bound(from, to, end) - of.time.begin());
    if (last <= near) return {0, 0};
    const auto& a = of.before[near];
    const auto& b = of.before[last];
    return {b[0] - a[0], b[1] - a[1]};
}

}  // namespace lanescope
