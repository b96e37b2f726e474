// Typed side tables: what links, tables and models need of an event's arguments, taken during the
// load. Each is a struct of parallel columns sorted by slice; a column that no event had is empty.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/column.h"
#include "core/base/nanos.h"
#include "core/base/string_pool.h"
#include "core/trace/slice.h"

namespace lanescope {

inline constexpr uint32_t kNoRow = ~uint32_t{0};
inline constexpr int64_t kNoValue = INT64_MIN;  // "not in the file" in a column of numbers

// A launch configuration, shared by all launches that have it.
struct LaunchConfig {
    uint32_t grid[3] = {0, 0, 0};
    uint32_t block[3] = {0, 0, 0};
    int32_t registers_per_thread = -1;  // -1: not recorded
    int64_t shared_memory_bytes = -1;   // static + dynamic, as Kineto writes it; -1: not recorded
    int32_t kineto_occupancy_percent = -1;  // "est. achieved occupancy %"; -1: not recorded

    friend bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
};

// Kernels, copies and sets on a device.
struct GpuActivities {
    std::vector<SliceRef> slice;
    std::vector<int64_t> correlation;  // kNoValue: none
    std::vector<int64_t> external_id;  // kNoValue: none
    std::vector<int32_t> device;       // -1: not recorded
    std::vector<int32_t> stream;       // -1: not recorded
    std::vector<uint32_t> config;      // row of Trace::launch_configs, or kNoRow
    std::vector<int64_t> bytes;        // of copies and sets; empty or kNoValue
    std::vector<int64_t> graph_node;   // CUDA graph node id; empty or kNoValue
};

// Runtime and driver calls.
struct RuntimeCalls {
    std::vector<SliceRef> slice;
    std::vector<int64_t> correlation;
    std::vector<int64_t> external_id;
};

// Framework operators and user annotations. Texts are as the file writes them ("[[8, 16], []]").
struct Operators {
    std::vector<SliceRef> slice;
    std::vector<int64_t> external_id;
    std::vector<int64_t> sequence;        // Sequence number; kNoValue: none
    std::vector<int64_t> forward_thread;  // Fwd thread id; kNoValue: none
    std::vector<StringId> input_dims;
    std::vector<StringId> input_types;
    std::vector<StringId> input_strides;
    std::vector<StringId> concrete_inputs;
    std::vector<StringId> call_stack;
    std::vector<StringId> module_hierarchy;
};

struct PythonFrames {
    std::vector<SliceRef> slice;
    std::vector<int64_t> python_id;
    std::vector<int64_t> parent_id;  // kNoValue at the root
    std::vector<int64_t> module_id;  // kNoValue: not a module
};

// "[memory]" instants, in order of time.
struct MemoryEvents {
    std::vector<Nanos> time;
    std::vector<LaneId> lane;
    std::vector<int64_t> address;
    std::vector<int64_t> bytes;            // negative: freed
    std::vector<int64_t> total_allocated;  // kNoValue: not recorded
    std::vector<int64_t> total_reserved;   // kNoValue: not recorded
    std::vector<int32_t> device_type;      // 0 CPU, 1 CUDA
    std::vector<int32_t> device_id;        // -1: none
};

struct Collectives {
    std::vector<SliceRef> slice;
    std::vector<StringId> name;  // "allreduce", …
    std::vector<StringId> dtype;
    std::vector<StringId> group_name;
    std::vector<StringId> group_ranks;
    std::vector<int64_t> in_elements;
    std::vector<int64_t> out_elements;
    std::vector<int64_t> group_size;
};

// cuda_sync events.
struct Synchronisations {
    std::vector<SliceRef> slice;
    std::vector<StringId> kind;  // "Stream Sync", …
    std::vector<int64_t> correlation;
    std::vector<int64_t> stream;
    std::vector<int64_t> wait_on_stream;
    std::vector<int64_t> wait_on_event_correlation;
    std::vector<int64_t> wait_on_event;
};

// The row of a slice in a table's `slice` column (sorted), or kNoRow.
uint32_t find_row(const std::vector<SliceRef>& slices, SliceRef slice);

}  // namespace lanescope
