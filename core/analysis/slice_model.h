// What the models say of one slice: its work, how far it is from what its device could do, and what
// bounds it.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/work_models.h"

namespace lanescope {

// Of a kernel, copy or set its part of an operator's work; of an operator all of it.
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
    std::string_view note;  // empty: nothing to say
    DataType type = DataType::unknown;
    std::optional<PeakRate> peak;   // nothing: not known
    double memory_bytes_s = 0;      // 0: not known
    bool memory_uncertain = false;  // no source confirmed it
    bool uncertain = false;         // nor what the floor comes from
    std::string remark;             // on the device's peaks; empty: nothing to say
    bool in_sheet = false;          // something is known of the device
    bool planned = false;           // its launch stands behind an occupancy query for it

    bool has_work() const { return why == NoModel::none && bytes != kNoValue; }
    // Operations a byte; 0: it has none, or they are not known.
    double intensity() const {
        return flop > 0 && bytes > 0 ? static_cast<double>(flop) / static_cast<double>(bytes) : 0;
    }
};

// Nothing for slices that neither ran on a GPU nor launched modelled work. Works out the models and
// finds the queries: not for a frame.
std::optional<SliceModel> slice_model(const TraceContext& context, SliceRef slice);

}  // namespace lanescope
