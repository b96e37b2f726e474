#include "core/ingest/rocprofv3/rocm_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace lanescope {

namespace {

constexpr CategoryWord kRocmHip = {"hip_runtime", EventClass::runtime, kLaunchCall};
constexpr CategoryWord kRocmHsa = {"hsa_api", EventClass::runtime, kLaunchCall};
constexpr CategoryWord kRocmRccl = {"rccl_api", EventClass::runtime, kLaunchCall};
constexpr CategoryWord kRocmScratch = {"scratch_memory"};
constexpr CategoryWord kRocmOther = {"rocm_api", EventClass::runtime};
constexpr CategoryWord kRocmMarker = {"user_annotation", EventClass::annotation};
constexpr CategoryWord kRocmKernel = {"kernel", EventClass::kernel, kGpuActivity};
constexpr CategoryWord kRocmCopy = {"gpu_memcpy", EventClass::memory, kGpuActivity};
constexpr CategoryWord kRocmAllocation = {"memory_allocation"};
constexpr CategoryWord kRocmCounter = {"counter_collection"};

constexpr WarningText kRocmUnreadableTime = {"unreadable_time",
                                             "an event whose time is not a number in range"};
constexpr WarningText kRocmEndsBeforeBegin = {
    "negative_duration", "an event that ends before it begins; drawn without length"};
constexpr WarningText kRocmUnknownRelease = {
    "unknown_release", "a release of memory whose allocation is not recorded; it is in no sum"};

// If more kernels run at the same time, they share the queue's last lane.
constexpr std::size_t kMostLanesOfQueue = 32;
constexpr int64_t kMostRocmBytes = int64_t{1} << 52;
constexpr int32_t kRocmHostMemory = 0;
constexpr int32_t kRocmDeviceMemory = 1;

const CategoryWord& category_of(RocmDomain domain) {
    switch (domain) {
        case RocmDomain::hip:
            return kRocmHip;
        case RocmDomain::hsa:
            return kRocmHsa;
        case RocmDomain::rccl:
            return kRocmRccl;
        case RocmDomain::scratch:
            return kRocmScratch;
        case RocmDomain::marker:
            return kRocmMarker;
        case RocmDomain::other:
            break;
    }
    return kRocmOther;
}

int32_t ordinal_of_queue(int64_t queue) {
    return queue >= 0 && queue <= INT32_MAX ? static_cast<int32_t>(queue) : -1;
}

}  // namespace

uint32_t RocmEvents::add_slice(LocalId lane, Nanos begin, Nanos end, LocalId name,
                               const CategoryWord& category, uint64_t source,
                               std::string_view word) {
    const uint32_t event =
        sink_.add({begin, std::max<Nanos>(end - begin, 0), 0, name, sink_.category(category), lane,
                   0, EventKind::slice, kHasTime | kHasDuration},
                  source, word);
    if (end < begin) sink_.warn(kRocmEndsBeforeBegin, event);
    return event;
}

LocalId RocmEvents::thread(const RocmCall& call) {
    const std::pair key(call.process, call.thread);
    const auto [found, is_new] = threads_.try_emplace(key, 0);
    if (!is_new) return found->second;
    found->second = sink_.thread(call.process, std::to_string(call.thread));
    if (const auto name = thread_names_.find(key); name != thread_names_.end())
        sink_.name_lane(found->second, sink_.text(name->second), call.source);
    return found->second;
}

void RocmEvents::add(const RocmCall& call, RocmDomain domain) {
    if (!is_rocm_time(call.begin) || !is_rocm_time(call.end))
        return add_unreadable(call.source, call.word);
    const uint32_t event = add_slice(thread(call), call.begin, call.end, call.name,
                                     category_of(domain), call.source, call.word);
    if (domain != RocmDomain::scratch)
        sink_.attach<RuntimeFacts>(event).correlation = call.correlation;
}

void RocmEvents::add_marker(const RocmCall& marker, bool is_of_process) {
    if (!is_rocm_time(marker.begin) || !is_rocm_time(marker.end))
        return add_unreadable(marker.source, marker.word);
    const LocalId lane = thread(marker);
    RawEvent event{marker.begin,
                   0,
                   static_cast<int64_t>(marker.source),
                   marker.name,
                   sink_.category(kRocmMarker),
                   lane,
                   0,
                   EventKind::instant,
                   kHasTime};
    if (marker.end == marker.begin) {
        sink_.add(event, marker.source, marker.word);
        return;
    }
    if (!is_of_process) {
        add_slice(lane, marker.begin, marker.end, marker.name, kRocmMarker, marker.source,
                  marker.word);
        return;
    }
    event.kind = EventKind::async_begin;
    event.flags = kHasTime | kHasId;
    sink_.add(event, marker.source, marker.word);
    event.time = std::max(marker.begin, marker.end);
    event.kind = EventKind::async_end;
    sink_.add(event, marker.source, "end of range");
}

void RocmEvents::add_unreadable(uint64_t source, std::string_view word) {
    const LocalId lane = sink_.curves(sink_.process(""));
    const uint32_t event = sink_.add({.lane = lane, .kind = EventKind::unreadable}, source, word);
    sink_.warn(kRocmUnreadableTime, event);
}

// The first lane of the work's queue that is free when the work starts.
LocalId RocmEvents::lane_for(const RocmWork& work) {
    const std::pair device(work.process, work.device);
    const auto [found, is_new] = queues_.try_emplace({device, work.queue});
    Queue& queue = found->second;
    if (is_new) {
        queue.device = sink_.device(work.process, static_cast<uint32_t>(work.device));
        devices_.insert(device);
    }
    std::size_t i = 0;
    while (i < queue.ends.size() && queue.ends[i] > work.begin) ++i;
    if (i == kMostLanesOfQueue) --i;
    if (i == queue.ends.size()) {
        const bool has_number = work.queue != kNoValue;
        std::string name = has_number ? fmt::format("queue {}", work.queue) : "copies";
        if (const auto known = queue_names_.find({work.process, work.queue});
            known != queue_names_.end() && !known->second.empty())
            name = known->second;
        std::string key = has_number ? std::to_string(work.queue) : "copies";
        if (i > 0) {
            name += fmt::format(" · {}", i + 1);
            key += fmt::format(" · {}", i + 1);
        }
        queue.ends.push_back(work.begin);
        queue.lanes.push_back(sink_.stream(queue.device, key));
        sink_.name_lane(queue.lanes.back(), sink_.text(name), work.source);
    }
    queue.ends[i] = std::max(queue.ends[i], work.end);
    return queue.lanes[i];
}

void RocmEvents::finish_work() {
    std::erase_if(work_, [this](const RocmWork& work) {
        const bool is_readable = is_rocm_time(work.begin) && is_rocm_time(work.end);
        if (!is_readable) add_unreadable(work.source, work.word);
        return !is_readable;
    });
    std::ranges::stable_sort(work_, {}, &RocmWork::begin);
    std::vector<LocalId> lanes;
    lanes.reserve(work_.size());
    for (const RocmWork& work : work_) lanes.push_back(lane_for(work));
    // In file order, because a batch covers a part of the file.
    std::vector<uint32_t> order(work_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](uint32_t i) { return work_[i].source; });
    for (const uint32_t i : order) {
        const RocmWork& work = work_[i];
        const bool is_kernel = work.kind == RocmWorkKind::kernel;
        auto& row = sink_.attach<GpuFacts>(add_slice(lanes[i], work.begin, work.end, work.name,
                                                     is_kernel ? kRocmKernel : kRocmCopy,
                                                     work.source, work.word));
        row.correlation = work.correlation;
        row.device = work.device;
        row.stream = ordinal_of_queue(work.queue);
        if (is_kernel) row.config = work.config;
        if (!is_kernel && work.bytes >= 0) row.bytes = work.bytes;
    }
    work_ = {};
}

// Rows are unordered, but totals need an order. A release states no size.
void RocmEvents::finish_allocations() {
    struct Block {
        int32_t device;
        int64_t bytes;
    };
    std::ranges::stable_sort(allocations_, {}, &RocmAllocation::time);
    std::map<std::pair<LocalId, int64_t>, Block> blocks;  // by process and address
    std::map<std::pair<LocalId, int32_t>, int64_t> totals;
    for (const RocmAllocation& allocation : allocations_) {
        if (!is_rocm_time(allocation.time)) {
            add_unreadable(allocation.source, allocation.word);
            continue;
        }
        const LocalId lane = sink_.curves(allocation.process);
        const uint32_t event =
            sink_.add({allocation.time, 0, 0, sink_.text("[memory]"),
                       sink_.category(kRocmAllocation), lane, 0, EventKind::instant, kHasTime},
                      allocation.source, allocation.word);
        const std::pair key(allocation.process, allocation.address);
        Block block{allocation.device, std::clamp<int64_t>(allocation.bytes, 0, kMostRocmBytes)};
        if (allocation.is_free) {
            const auto known = blocks.find(key);
            if (known == blocks.end()) {
                sink_.warn(kRocmUnknownRelease, event);
                continue;
            }
            block = {known->second.device, -known->second.bytes};
            blocks.erase(known);
        } else {
            blocks[key] = block;
        }
        int64_t& total = totals[{allocation.process, block.device}];
        total = std::clamp<int64_t>(total + block.bytes, 0, INT64_MAX / 4);
        auto& row = sink_.attach<MemoryFacts>(event);
        row.device_type = block.device < 0 ? kRocmHostMemory : kRocmDeviceMemory;
        row.device_id = block.device;
        row.address = allocation.address;
        row.bytes = block.bytes;
        row.total_allocated = total;
    }
    allocations_ = {};
}

void RocmEvents::finish_values() {
    std::ranges::stable_sort(values_, {}, &RocmValue::begin);
    for (const RocmValue& value : values_) {
        if (!is_rocm_time(value.begin) || !is_rocm_time(value.end)) {
            add_unreadable(value.source, "counter");
            continue;
        }
        const LocalId on = value.device < 0
                               ? value.process
                               : sink_.device(value.process, static_cast<uint32_t>(value.device));
        const LocalId lane = sink_.curves(on);
        const LocalId category = sink_.category(kRocmCounter);
        sink_.counter(lane, value.begin, value.name, sink_.text(""), value.value, category,
                      value.source);
        if (value.end > value.begin)
            sink_.counter(lane, value.end, value.name, sink_.text(""), 0, category, value.source);
    }
    values_ = {};
}

void RocmEvents::finish() {
    finish_work();
    finish_allocations();
    finish_values();
}

}  // namespace lanescope
