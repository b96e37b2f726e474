// Kernels, copies and sets: how often they ran, how long they took, and how they were launched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/statistics/distribution.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct KernelTableRow> kKernelsTable;
extern const TableOf<struct KernelTableRow> kKernelsByConfigTable;
extern const TableOf<struct KernelInstanceTableRow> kKernelsByInstanceTable;

enum class KernelGrouping : uint8_t { name, config };

// The activities of one name (and launch configuration) on one device.
struct KernelRow {
    StringId name = 0;
    uint32_t process = 0;           // row of Trace::processes of the device
    int64_t device = kNoValue;      // kNoValue: not recorded
    int64_t stream = kNoValue;      // kNoValue: several, or not recorded
    std::vector<uint32_t> members;  // rows of Trace::gpu_activities, sorted by time
    Distribution durations;
    double share = 0;          // of the device's total activity time in the range
    std::size_t warm_up = 0;   // leading instances above the outlier limit of the rest
    double drift = 0;          // see drift() of distribution.h
    uint32_t configs = 0;      // number of different launch configurations
    uint32_t config = kNoRow;  // the only one; kNoRow: several or none
    double registers = 0;      // means weighted by duration; NaN: not recorded
    double shared_bytes = 0;
    double static_shared_bytes = 0;
    double dynamic_shared_bytes = 0;
    double kineto_occupancy_percent = 0;
    double occupancy = 0;    // theoretical, 0 to 1; mean weighted by duration; NaN: unknown
    double waves = 0;        // mean weighted by duration; NaN: unknown
    std::string limiter;     // what limits it; "mixed": several; empty: unknown
    SliceRef op;             // an instance of the operator that launched most of its time
    uint32_t operators = 0;  // number of different operator names
    SliceRef longest;
};

// Sorted by total, descending.
std::vector<KernelRow> kernel_rows(const TraceContext& context, const TableQuery& query,
                                   KernelGrouping grouping);

// The kernels of the whole trace, grouped by name.
struct AllKernels {
    std::vector<KernelRow> rows;

    static AllKernels compute(const TraceContext& context);
};

Table kernels_table(const TraceContext& context, const TableQuery& query);
Table kernels_by_config_table(const TraceContext& context, const TableQuery& query);
// One row for each activity, sorted by time.
Table kernels_by_instance_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
