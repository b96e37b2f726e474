#include "core/analysis/structure/gpu_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "core/analysis/context.h"

namespace lanescope {

namespace {

// The kind of copies and sets in each category.
std::vector<WorkKind> memory_kinds(const Trace& trace) {
    std::vector<WorkKind> kinds;
    for (const Category& category : trace.categories) {
        const std::string_view name = trace.strings[category.name];
        kinds.push_back(name == "gpu_memset" || name == "Memset" ? WorkKind::set : WorkKind::copy);
    }
    return kinds;
}

WorkKind kind_of(const Trace& trace, const std::vector<WorkKind>& memory, SliceRef slice) {
    const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
    const CategoryId category = chunk->category[i];
    switch (trace.event_class(chunk->name[i], category)) {
        case EventClass::memory:
            return memory[category];
        case EventClass::communication:
            return WorkKind::communication;
        default:
            return WorkKind::compute;
    }
}

bool starts_before(const GpuWork& a, const GpuWork& b) {
    return std::tuple(a.range.begin, a.row) < std::tuple(b.range.begin, b.row);
}

void sort_by_start(std::vector<GpuWork>& work) {
    if (!std::is_sorted(work.begin(), work.end(), starts_before))
        std::sort(work.begin(), work.end(), starts_before);
}

// The work of all streams. Each stream is sorted, so they are merged pairwise.
std::vector<GpuWork> work_of(std::span<const GpuStream> streams) {
    if (streams.empty()) return {};
    if (streams.size() == 1) return streams.front().work;
    const std::vector<GpuWork> a = work_of(streams.first(streams.size() / 2));
    const std::vector<GpuWork> b = work_of(streams.subspan(streams.size() / 2));
    std::vector<GpuWork> both(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin(), starts_before);
    return both;
}

bool is_profiler_overhead(std::string_view name) {
    constexpr std::array programs = {"Module Loading", "Function Loading", "Driver Compiler",
                                     "Command Buffer Full"};
    return std::none_of(programs.begin(), programs.end(), [&](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    });
}

}  // namespace

std::vector<GpuDevice> gpu_devices(const Trace& trace) {
    const GpuActivities& gpu = trace.gpu_activities;
    const std::vector<WorkKind> memory = memory_kinds(trace);
    std::map<std::tuple<uint32_t, int32_t, int32_t>, std::vector<GpuWork>> found;
    auto at = found.end();  // neighbours are mostly on the same stream
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const SliceRef slice = gpu.slice[row];
        const uint32_t process = trace.lanes[slice.lane].process;
        int32_t device = gpu.device.empty() ? -1 : gpu.device[row];
        if (device < 0) device = trace.processes[process].device;
        const int32_t stream = gpu.stream.empty() ? -1 : gpu.stream[row];
        const Nanos start = trace.start(slice);
        const std::tuple key(process, device, stream);
        if (at == found.end() || at->first != key) at = found.try_emplace(key).first;
        at->second.push_back(
            {{start, start + trace.duration(slice)}, kind_of(trace, memory, slice), row});
    }
    std::vector<GpuDevice> devices;
    for (auto& [key, work] : found) {
        const auto [process, id, stream] = key;
        if (devices.empty() || devices.back().process != process || devices.back().device != id) {
            devices.emplace_back().process = process;
            devices.back().device = id;
        }
        sort_by_start(work);
        devices.back().streams.push_back({stream, std::move(work)});
    }
    for (GpuDevice& device : devices) device.work = work_of(device.streams);
    return devices;
}

std::vector<WorkTimes> work_times(const Trace& trace, std::span<const GpuDevice> devices,
                                  std::span<const SliceRef> launch,
                                  const std::vector<bool>& wanted) {
    std::vector<WorkTimes> all(wanted.size());
    std::vector<uint32_t> processes;
    for (uint32_t p = 0; p < wanted.size(); ++p)
        if (wanted[p]) processes.push_back(p);
    for (const GpuDevice& device : devices) {
        std::vector<WorkTimes> of_device(wanted.size());
        for (const GpuWork& work : device.work) {
            const auto kind = static_cast<std::size_t>(work.kind);
            const SliceRef call = launch[work.row];
            const uint32_t only = call ? trace.lanes[call.lane].process : kNoRow;
            for (const uint32_t p : processes)
                if (only == kNoRow || only == p) append_merged(of_device[p][kind], work.range);
        }
        for (const uint32_t p : processes)
            for (std::size_t kind = 0; kind < all[p].size(); ++kind)
                add(all[p][kind], of_device[p][kind]);
    }
    return all;
}

TimeRange span_of(std::span<const GpuWork> work) {
    if (work.empty()) return {};
    TimeRange span = work.front().range;
    for (const GpuWork& w : work) {
        span.begin = std::min(span.begin, w.range.begin);
        span.end = std::max(span.end, w.range.end);
    }
    return span;
}

Intervals profiler_overhead(const Trace& trace) {
    std::vector<TimeRange> ranges;
    if (std::none_of(trace.categories.begin(), trace.categories.end(),
                     [](const Category& c) { return c.event_class == EventClass::overhead; }))
        return {};
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i)
                if (trace.categories[chunk->category[i]].event_class == EventClass::overhead &&
                    is_profiler_overhead(trace.strings[chunk->name[i]]))
                    ranges.push_back({chunk->start[i], chunk->end(i)});
    return merged(std::move(ranges));
}

GpuDevices GpuDevices::compute(const TraceContext& context) {
    return {gpu_devices(context.trace())};
}

ProfilerOverhead ProfilerOverhead::compute(const TraceContext& context) {
    return {profiler_overhead(context.trace())};
}

}  // namespace lanescope
