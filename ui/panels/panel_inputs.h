// PanelInputs: the data that panels show.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/context.h"
#include "core/trace/slice.h"
#include "core/trace/trace.h"
#include "ui/base/jobs.h"

namespace lanescope {

struct Frame;

struct PanelInputs {
    std::shared_ptr<const TraceContext> context;  // null: no trace
    std::optional<TimeRange> range;               // the range marked on the timeline
    SliceRef selected;
    TracePtr shown;        // the trace on the timeline, to which all slices belong
    Jobs* jobs = nullptr;  // its jobs end before the panels are destroyed
    // The context belongs to a snapshot that is replaced from time to time: results for one
    // snapshot stay visible until those for the next are ready.
    bool live = false;
    TracePtr snapshot() const { return live ? shown : nullptr; }
};

// Inputs from the part of the trace that panels show; during a recording, from the snapshot of the
// last tables, with the selection if that snapshot contains it.
PanelInputs panel_inputs(Frame& frame);
// Inputs from the trace on the timeline, also during a recording.
PanelInputs timeline_inputs(Frame& frame);
// The lanes of the marked range, in the trace of panel_inputs().
std::vector<LaneId> marked_lanes(const Frame& frame);

// Why there is nothing to show if there is no context.
const char* why_nothing_to_show(const PanelInputs& inputs);

// A choice of the part that panels show, if the trace has several.
void draw_part_choice(Frame& frame);

}  // namespace lanescope
