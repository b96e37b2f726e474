// Idle spans: the stretches of rows in which nothing runs that are worth a look: dead windows
// inside calls, and gaps of GPU streams with their cause. Found once a trace, in the background.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/gaps.h"
#include "core/view/color.h"

namespace lanescope {

// The spans of one row, by begin; they do not overlap.
struct IdleRow {
    std::vector<TimeRange> spans;
    // Of gaps, one a span; empty for dead windows.
    std::vector<GapCause> causes;
    std::vector<std::pair<uint32_t, uint32_t>>
        sides;  // indices in the lane: what ran before, after
    // The longest of 64 spans, of 64 of those, and so on: what is too short to be seen is passed
    // over in blocks.
    std::vector<std::vector<Nanos>> longest;
};

struct IdleSpans {
    // By lane, then by depth: dead windows stand in the row of the calls that are missing in them,
    // gaps in that of the activity that ends them.
    std::vector<std::vector<IdleRow>> rows;
    // By process: "busy 7.9 % of its span · idle mostly waiting for the host". Empty where it is no
    // GPU.
    std::vector<std::string> device_lines;

    // The row that shows at a depth of a lane; null: none.
    const IdleRow* row(LaneId lane, uint32_t depth) const;
};

std::shared_ptr<const IdleSpans> find_idle_spans(const TraceContext& context);
// Of the parts of a joined trace, each with its own lanes and processes, together.
std::shared_ptr<const IdleSpans> joined_idle_spans(
    const std::vector<std::shared_ptr<const IdleSpans>>& parts);

// Makes a row of spans that are sorted by begin.
IdleRow idle_row(std::vector<TimeRange> spans);

// Indices, ascending, of the spans that touch `range` and are at least `least` long, at most `most`
// of them.
void find_spans(const IdleRow& row, TimeRange range, Nanos least, std::size_t most,
                std::vector<uint32_t>& found);

// The span that holds a time, if it is at least `least` long.
std::optional<uint32_t> span_at(const IdleRow& row, Nanos time, Nanos least);

// What ran before and after a span; none where there is none.
struct Neighbours {
    SliceRef before, after;
};
// Of a dead window: of the same call only.
Neighbours sides_of_window(const Trace& trace, LaneId lane, uint32_t depth, TimeRange span);

// A word or two: "host", "launch latency"; "unknown" too.
std::string_view short_cause(GapCause cause);

// What a span is painted with.
struct IdleLook {
    Color fill;  // over the background
    Color line;  // of the hatch; equal to the fill where there is none
    Color text;  // on the fill
};
IdleLook dead_window_look(Theme theme);
IdleLook gap_look(Theme theme, GapCause cause);

}  // namespace lanescope
