// Idle spans: parts of rows in which nothing runs and that deserve attention: dead windows inside
// calls (without those in which the thread waits), and gaps of GPU streams with their cause.
// Computed once for each trace, in the background.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/gpu/gaps.h"
#include "core/view/color.h"
#include "core/view/shown_lanes.h"

namespace lanescope {

// The spans of one row, sorted by begin, without overlaps.
struct IdleRow {
    std::vector<TimeRange> spans;
    // The causes of gaps, one for each span; empty for dead windows.
    std::vector<GapCause> causes;
    std::vector<std::pair<uint32_t, uint32_t>>
        sides;  // indices in the lane: what ran before and after
    // The part of each gap in which the other streams of the device ran nothing either. Headlines
    // and the summary count only that.
    std::vector<Nanos> device_idle;
    // By span, the depth of its row in the trace's lane; only for lanes that are partly shown.
    std::vector<uint32_t> depths;
    // The length of the longest span in each block of 64 spans, in each block of 64 such blocks,
    // and so on. A search skips the blocks whose spans are all too short.
    std::vector<std::vector<Nanos>> longest;
};

struct DeviceLine {
    std::string busy;  // "busy 7.9 %"
    std::string text;  // "busy 7.9 % of its span · idle mostly waiting for the host"
};

struct IdleSpans {
    // By lane, then by depth: a dead window is in the row of the calls that are missing in it, a
    // gap in the row of the activity that ends it.
    std::vector<std::vector<IdleRow>> rows;
    std::vector<DeviceLine> device_lines;  // by process; the texts are empty unless it is a GPU

    // The row of a depth of a lane; null: none.
    const IdleRow* row(LaneId lane, uint32_t depth) const;
    // Returns the line of a process, or null unless the process is a GPU with work.
    const DeviceLine* device_line(uint32_t process) const;
};

std::shared_ptr<const IdleSpans> find_idle_spans(const TraceContext& context);
// Combines the spans of a joined trace's parts, each of which has its own lanes and processes.
std::shared_ptr<const IdleSpans> joined_idle_spans(
    const std::vector<std::shared_ptr<const IdleSpans>>& parts);

// The dead windows of lanes that are only partly shown, by the depth at which these lanes show
// them. Windows of calls that are not shown are left out.
struct ShownIdleSpans {
    ShownLanesPtr shown;                     // of these lanes
    std::vector<std::vector<IdleRow>> rows;  // by lane, by displayed depth; none of other lanes

    const IdleRow* row(LaneId lane, uint32_t depth) const;
};
// n log n in the number of windows: too slow for a frame.
std::shared_ptr<const ShownIdleSpans> shown_idle_spans(const Trace& trace, const IdleSpans& idle,
                                                       ShownLanesPtr shown);

// Makes a row of spans sorted by begin.
IdleRow idle_row(std::vector<TimeRange> spans);

// Indices, ascending, of the spans that touch `range` and are at least `min_length` long; at most
// `limit` of them.
void find_spans(const IdleRow& row, TimeRange range, Nanos min_length, std::size_t limit,
                std::vector<uint32_t>& found);

// The span around a time, if it is at least `min_length` long.
std::optional<uint32_t> span_at(const IdleRow& row, Nanos time, Nanos min_length);

// What ran before and after a span; empty if nothing did.
struct Neighbours {
    SliceRef before, after;
};
// For a dead window: within the same call only.
Neighbours sides_of_window(const Trace& trace, LaneId lane, uint32_t depth, TimeRange span);

// A word or two: "host", "launch latency"; "not recorded" before a node of a graph, "unknown" if
// the launch is not in the file.
std::string_view short_cause(GapCause cause);

// The colours of a span.
struct IdleLook {
    Color fill;  // over the background
    Color line;  // of the hatching; equal to the fill if there is none
    Color text;  // on the fill
};
IdleLook dead_window_look(Theme theme);
IdleLook gap_look(Theme theme, GapCause cause);

}  // namespace lanescope
