// The work of a trace's GPUs, by device and stream, sorted by time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/intervals.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

enum class WorkKind : uint8_t { compute, communication, copy, set };

struct GpuWork {
    TimeRange range;
    WorkKind kind = WorkKind::compute;
    uint32_t row = kNoRow;  // of Trace::gpu_activities
};

struct GpuStream {
    int32_t stream = -1;        // -1: not recorded
    std::vector<GpuWork> work;  // by (start, row)
};

struct GpuDevice {
    uint32_t process = 0;            // row of Trace::processes
    int32_t device = -1;             // -1: not recorded
    std::vector<GpuStream> streams;  // by stream
    std::vector<GpuWork> work;       // of all streams, by (start, row)
};

// By (process, device). Files that join several ranks have a device once in each.
std::vector<GpuDevice> gpu_devices(const Trace& trace);

struct GpuDevices {
    std::vector<GpuDevice> all;

    static GpuDevices compute(const TraceContext& context);
};

// Times at which GPUs worked, by WorkKind.
using WorkTimes = std::array<Intervals, 4>;
// By process, for processes in `wanted`: the work that the process launched, and the work whose
// launching process is unknown.
std::vector<WorkTimes> work_times(const Trace& trace, std::span<const GpuDevice> devices,
                                  std::span<const SliceRef> launch,
                                  const std::vector<bool>& wanted);

// From the first start to the last end; empty without work.
TimeRange span_of(std::span<const GpuWork> work);

// Time in which the profiler itself worked on the CPU. PyTorch also files CUDA's lazy work, such as
// loading a module at its first launch, under this category; that counts as the program's own.
Intervals profiler_overhead(const Trace& trace);

struct ProfilerOverhead {
    Intervals times;

    static ProfilerOverhead compute(const TraceContext& context);
};

}  // namespace lanescope
