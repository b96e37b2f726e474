// What the models say about one slice: its work, its distance from what the device could do, and
// what bounds it.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/work/work_models.h"

namespace lanescope {

// For a kernel, copy or set: its share of an operator's work; for an operator: all of it.
struct SliceModel {
    SliceRef slice;
    NoModel why = NoModel::none;  // there is no model
    Nanos time = 0;               // of the kernel, or of all kernels of the operator
    int64_t flop = kNoValue;
    int64_t bytes = kNoValue;
    double floor_ns = kNoFloor;
    WorkBound bound = WorkBound::unknown;
    BelowFloor below = BelowFloor::no;
    bool inherited = false;  // from launches of the same kernel that have an operator
    Quality quality = Quality::exact;
    std::string_view note;  // a remark on the work; empty: none
    DataType type = DataType::unknown;
    std::optional<PeakRate> peak;   // empty: not known
    double memory_bytes_s = 0;      // 0: not known
    bool memory_uncertain = false;  // no source confirms the peak
    bool uncertain = false;         // no source confirms the figure that the floor uses
    std::string remark;             // a remark on the device's peaks; empty: none
    bool in_sheet = false;          // the device has an entry in the sheet
    bool planned = false;           // its launch follows an occupancy query

    bool has_work() const { return why == NoModel::none && bytes != kNoValue; }
    // Operations per byte; 0: none, or unknown.
    double intensity() const {
        return flop > 0 && bytes > 0 ? static_cast<double>(flop) / static_cast<double>(bytes) : 0;
    }
};

// Empty for slices that neither ran on a GPU nor launched modelled work. Computes the models and
// finds the queries: too slow for a frame.
std::optional<SliceModel> slice_model(const TraceContext& context, SliceRef slice);

}  // namespace lanescope
