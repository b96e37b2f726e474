// Kernels, copies and sets: how often each ran, how long it took, and how it was launched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/distribution.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kKernelsTable;
extern const TableSpec kKernelsByConfigTable;
extern const TableSpec kKernelsByInstanceTable;

enum class KernelGrouping : uint8_t { name, config };

// Activities of one name (and launch configuration) on one device.
struct KernelRow {
    StringId name = 0;
    uint32_t process = 0;           // the device's row of Trace::processes
    int64_t device = kNoValue;      // kNoValue: not recorded
    int64_t stream = kNoValue;      // kNoValue: several, or not recorded
    std::vector<uint32_t> members;  // rows of Trace::gpu_activities, in order of time
    Distribution durations;
    double share = 0;          // of all activity time of the device in the range
    std::size_t warm_up = 0;   // leading instances longer than the outlier limit of the rest
    double drift = 0;          // see drift() of distribution.h
    uint32_t configs = 0;      // different launch configurations
    uint32_t config = kNoRow;  // the only one; kNoRow: several or none
    double registers = 0;      // means weighted by duration; NaN: not recorded
    double shared_bytes = 0;
    double static_shared_bytes = 0;
    double dynamic_shared_bytes = 0;
    double kineto_occupancy_percent = 0;
    double occupancy = 0;    // theoretical, 0 to 1; mean weighted by duration; NaN: not known
    double waves = 0;        // likewise
    std::string limiter;     // what limits it; "mixed": not the same for all; empty: not known
    SliceRef op;             // an instance of the operator that launched most of its time
    uint32_t operators = 0;  // different operators by name
    SliceRef longest;
};

// From the largest total to the smallest.
std::vector<KernelRow> kernel_rows(const TraceContext& context, const TableQuery& query,
                                   KernelGrouping grouping);

Table kernels_table(const TraceContext& context, const TableQuery& query);
Table kernels_by_config_table(const TraceContext& context, const TableQuery& query);
// One row for each activity, in order of time.
Table kernels_by_instance_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
