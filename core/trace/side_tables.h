// Typed side tables: the event arguments that links, tables and models need, read during the load.
// Each table is a struct of parallel columns, sorted by slice. A column without any value is empty.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/column.h"
#include "core/base/nanos.h"
#include "core/base/string_pool.h"
#include "core/trace/slice.h"

namespace lanescope {

inline constexpr uint32_t kNoRow = ~uint32_t{0};
inline constexpr int64_t kNoValue = INT64_MIN;  // "not in the file", in columns of numbers

// A launch configuration, shared by all launches that use it.
struct LaunchConfig {
    uint32_t grid[3] = {0, 0, 0};
    uint32_t block[3] = {0, 0, 0};
    int32_t registers_per_thread = -1;  // -1: not recorded
    int64_t shared_memory_bytes = -1;   // static + dynamic, as Kineto writes it; -1: not recorded
    // The static part of shared_memory; -1: only the sum is recorded.
    int64_t static_shared_bytes = -1;
    int32_t kineto_occupancy_percent = -1;  // "est. achieved occupancy %"; -1: not recorded

    friend bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
};

// The part of the shared memory per block that the launch requested; -1: only the sum is recorded.
inline int64_t dynamic_shared_bytes(const LaunchConfig& config) {
    return config.static_shared_bytes < 0 ? -1
                                          : config.shared_memory_bytes - config.static_shared_bytes;
}

// Kernels, copies and sets on a device.
struct GpuActivities {
    Column<SliceRef> slice;
    Column<int64_t> correlation;  // kNoValue: none
    Column<int64_t> external_id;  // kNoValue: none
    Column<int32_t> device;       // -1: not recorded
    Column<int32_t> stream;       // -1: not recorded
    Column<uint32_t> config;      // row of Trace::launch_configs, or kNoRow
    Column<int64_t> bytes;        // size of a copy or set; kNoValue: none
    Column<int64_t> graph_node;   // CUDA graph node id; kNoValue: none
};

// Runtime and driver calls.
struct RuntimeCalls {
    Column<SliceRef> slice;
    Column<int64_t> correlation;
    Column<int64_t> external_id;
};

// Framework operators and user annotations. Texts are written as in the file ("[[8, 16], []]").
struct Operators {
    Column<SliceRef> slice;
    Column<int64_t> external_id;
    Column<int64_t> sequence;        // Sequence number; kNoValue: none
    Column<int64_t> forward_thread;  // Fwd thread id; kNoValue: none
    Column<StringId> input_dims;
    Column<StringId> input_types;
    Column<StringId> input_strides;
    Column<StringId> concrete_inputs;
    Column<StringId> call_stack;
    Column<StringId> module_hierarchy;
    Column<StringId> kernel_gigabytes;  // Inductor's estimate for a kernel that it generated
    Column<StringId> kernel_flop;
};

struct PythonFrames {
    Column<SliceRef> slice;
    Column<int64_t> python_id;
    Column<int64_t> parent_id;  // kNoValue at the root
    Column<int64_t> module_id;  // kNoValue: not a module
};

// "[memory]" instants, sorted by time.
struct MemoryEvents {
    Column<Nanos> time;
    Column<LaneId> lane;
    Column<int64_t> address;
    Column<int64_t> bytes;            // negative: freed
    Column<int64_t> total_allocated;  // kNoValue: not recorded
    Column<int64_t> total_reserved;   // kNoValue: not recorded
    Column<int32_t> device_type;      // 0 CPU, 1 CUDA
    Column<int32_t> device_id;        // -1: none
};

struct Collectives {
    Column<SliceRef> slice;
    Column<StringId> name;  // "allreduce", …
    Column<StringId> dtype;
    Column<StringId> group_name;
    Column<StringId> group_ranks;
    Column<StringId> group_description;
    Column<StringId> in_split;  // sizes by rank, in rows, as in the file ("[1, 2]")
    Column<StringId> out_split;
    Column<int64_t> in_elements;
    Column<int64_t> out_elements;
    Column<int64_t> group_size;
};

// cuda_sync events.
struct Synchronisations {
    Column<SliceRef> slice;
    Column<StringId> kind;  // "Stream Sync", …
    Column<int64_t> correlation;
    Column<int64_t> stream;
    Column<int64_t> wait_on_stream;
    Column<int64_t> wait_on_event_correlation;
    Column<int64_t> wait_on_event;
};

// Slices in lanes of samples.
struct SampledCalls {
    Column<SliceRef> slice;
    Column<int64_t> samples;  // number of samples in this slice, including its callees
    Column<Nanos> cpu_time;   // the CPU time that these samples represent; kNoValue: not recorded
    Column<StringId> module;  // the library, program or source file that contains the function
    // The number of samples in which the thread held Python's GIL, and the number in which the
    // thread ran or was ready to run; kNoValue: not recorded.
    Column<int64_t> gil_samples;
    Column<int64_t> running_samples;
};

// The row of `slice` in a table's sorted `slice` column, or kNoRow.
uint32_t find_row(std::span<const SliceRef> slices, SliceRef slice);

}  // namespace lanescope
