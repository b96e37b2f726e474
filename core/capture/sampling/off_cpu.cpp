#include "core/capture/sampling/off_cpu.h"

#include <algorithm>
#include <utility>

namespace lanescope {

namespace {

constexpr std::size_t kMaxSwitchedThreads = 1 << 16;  // waits of further threads are left out
constexpr std::size_t kMaxKeptStacks = 1 << 12;       // together at most 128 MiB

}  // namespace

bool OffCpuWaits::is_long(const OffCpuWait& wait) {
    const Nanos length = std::max<Nanos>(wait.end - wait.begin, 0);
    if (length >= shortest_) return true;
    ++short_waits_;
    short_time_ += length;
    return false;
}

std::optional<OffCpuWait> OffCpuWaits::take(const PerfRecord& record) {
    switch (record.kind) {
        case PerfKind::wait_stack: {
            if (threads_.size() >= kMaxSwitchedThreads) return std::nullopt;
            Thread& thread = threads_[record.tid];
            thread.is_off = false;
            thread.wait.at = record;
            if (threads_.size() > kMaxKeptStacks) thread.wait.at.stack = {};
            return std::nullopt;
        }
        case PerfKind::switched_out: {
            if (threads_.size() >= kMaxSwitchedThreads) return std::nullopt;
            Thread& thread = threads_[record.tid];
            thread.is_off = true;
            thread.wait.begin = record.time;
            thread.wait.is_preempted = record.is_preempted;
            if (thread.wait.at.tid != record.tid) thread.wait.at = record;
            return std::nullopt;
        }
        case PerfKind::switched_in: {
            const auto found = threads_.find(record.tid);
            if (found == threads_.end()) return std::nullopt;
            Thread thread = std::move(found->second);
            threads_.erase(found);
            thread.wait.end = record.time;
            if (!thread.is_off || !is_long(thread.wait)) return std::nullopt;
            return std::move(thread.wait);
        }
        case PerfKind::sample:  // if it is off, the record of its switch was lost
        case PerfKind::exit:
            threads_.erase(record.tid);
            return std::nullopt;
        case PerfKind::lost:
            threads_.clear();
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

void OffCpuWaits::add_waiting(uint32_t pid, uint32_t tid, Nanos since) {
    if (threads_.size() >= kMaxSwitchedThreads) return;
    Thread& thread = threads_[tid];
    thread.is_off = true;
    thread.wait.begin = since;
    thread.wait.at.pid = pid;
    thread.wait.at.tid = tid;
}

std::vector<OffCpuWait> OffCpuWaits::end_all(Nanos now) {
    std::vector<OffCpuWait> waits;
    for (auto& [tid, thread] : threads_) {
        thread.wait.end = now;
        if (thread.is_off && is_long(thread.wait)) waits.push_back(std::move(thread.wait));
    }
    threads_.clear();
    std::ranges::sort(waits, {}, &OffCpuWait::begin);
    return waits;
}

}  // namespace lanescope
