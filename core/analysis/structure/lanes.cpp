#include "core/analysis/structure/lanes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/intervals.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

// The contents of a lane in a range: events that overlap the range, and instants in it.
struct Content {
    int64_t slices = 0;
    int64_t instants = 0;
    int64_t points = 0;
    TimeRange span = {std::numeric_limits<Nanos>::max(), std::numeric_limits<Nanos>::min()};

    bool add(TimeRange event, TimeRange limit) {
        const bool inside =
            event.length() == 0 ? limit.contains(event.begin) : limit.overlaps(event);
        if (!inside) return false;
        widen({std::max(event.begin, limit.begin), std::min(event.end, limit.end)});
        return true;
    }

    void widen(TimeRange event) {
        span.begin = std::min(span.begin, event.begin);
        span.end = std::max(span.end, event.end);
    }
};

// `times` ascending.
void add_all(Content& content, const Column<Nanos>& times, int64_t& count) {
    count += static_cast<int64_t>(times.size());
    if (!times.empty()) content.widen({times[0], times[times.size() - 1]});
}

// The contents of a whole lane. Slices of one depth are sorted by time and do not overlap.
Content content_of(const Lane& lane) {
    Content content;
    content.slices = lane.slice_count;
    for (const auto& chunk : lane.chunks)
        for (const DepthRow& row : chunk->rows)
            if (row.size() > 0) content.widen({chunk->start[row.begin], chunk->end(row.end - 1)});
    if (lane.instants) add_all(content, lane.instants->time, content.instants);
    if (lane.counter) add_all(content, lane.counter->time, content.points);
    return content;
}

Content content_of(const Lane& lane, TimeRange limit) {
    Content content;
    for (const auto& chunk : lane.chunks)
        for (uint32_t i = 0; i < chunk->size(); ++i)
            content.slices += content.add({chunk->start[i], chunk->end(i)}, limit) ? 1 : 0;
    if (lane.instants)
        for (const Nanos t : lane.instants->time)
            content.instants += content.add({t, t}, limit) ? 1 : 0;
    if (lane.counter)
        for (const Nanos t : lane.counter->time)
            content.points += content.add({t, t}, limit) ? 1 : 0;
    return content;
}

}  // namespace

struct LaneTableRow {
    const Trace& trace;
    const Lane& lane;
    std::optional<TimeRange> range;
    Content content;
    const Process& process = trace.processes[lane.process];

    std::optional<Nanos> time(Nanos absolute) const {
        const bool has_events = content.slices + content.instants + content.points > 0;
        return has_events ? std::optional(absolute - trace.origin) : std::nullopt;
    }
};

namespace {

constexpr auto kLaneColumns = columns<LaneTableRow>({
    {{"process", Unit::none, kDistinct, "the file names none",
      "Name of the process or device that the lane belongs to."},
     [](const LaneTableRow& row) { return known_text(row.trace.strings[row.process.name]); }},
    {{"pid", Unit::none, kDistinct, "", "Its id, as the file writes it."},
     [](const LaneTableRow& row) { return row.trace.strings[row.process.pid]; }},
    {{"device", Unit::none, kDistinct, "not a lane of a GPU", "Ordinal of the GPU."},
     [](const LaneTableRow& row) {
         return row.process.is_gpu ? std::optional<int64_t>(row.process.device) : std::nullopt;
     }},
    {{"lane", Unit::none, kDistinct, "", "Name of the thread, stream, async track or counter."},
     [](const LaneTableRow& row) { return row.trace.strings[row.lane.name]; }},
    {{"tid", Unit::none, kDistinct, "not in the file",
      "Id of the thread, stream or async track, as the file writes it."},
     [](const LaneTableRow& row) { return known_text(row.trace.strings[row.lane.tid]); }},
    {{"kind", Unit::none, kDistinct, "", "thread, stream, async, counter, or samples."},
     [](const LaneTableRow& row) { return lane_kind_name(row.lane.kind); }},
    {{"slices", Unit::count, kSum, "", "Events with a duration."},
     [](const LaneTableRow& row) { return row.content.slices; }},
    {{"instants", Unit::count, kSum, "", "Events without one."},
     [](const LaneTableRow& row) { return row.content.instants; }},
    {{"points", Unit::count, kSum, "not a counter", "Values of the counter."},
     [](const LaneTableRow& row) {
         return row.lane.kind == LaneKind::counter ? std::optional(row.content.points)
                                                   : std::nullopt;
     }},
    {{"depth", Unit::count, kMax, "", "Rows needed to show the nested slices of the whole lane."},
     [](const LaneTableRow& row) { return row.lane.depth_count; }},
    {{"start_ns", Unit::nanoseconds, kMin, "nothing in it",
      "Begin of the first event, from the trace's origin."},
     [](const LaneTableRow& row) { return row.time(row.content.span.begin); }},
    {{"end_ns", Unit::nanoseconds, kMax, "nothing in it",
      "End of the last event, from the trace's origin."},
     [](const LaneTableRow& row) { return row.time(row.content.span.end); }},
    {{"busy_ns", Unit::nanoseconds, kSum, "the file has no times of calls",
      "Time covered by at least one slice; of a stream, by work: annotations are left out."},
     [](const LaneTableRow& row) {
         return row.trace.facts.calls_have_times
                    ? std::optional(busy_time(row.trace, row.lane, row.range))
                    : std::nullopt;
     }},
});

}  // namespace

const TableOf<LaneTableRow> kLanesTable = {
    {"lanes", "The contents of each lane, and its busy time."}, kLaneColumns};

Nanos busy_time(const Trace& trace, const Lane& lane, std::optional<TimeRange> range) {
    const auto counts = [&](CategoryId category) {
        return lane.kind != LaneKind::stream ||
               trace.categories[category].event_class != EventClass::annotation;
    };
    const TimeRange limit = range.value_or(kAllTime);
    UnionOfRows covered;
    for (const auto& chunk : lane.chunks) {
        for (const DepthRow& row : chunk->rows) {
            for (uint32_t i = row.begin; i < row.end; ++i)
                if (counts(chunk->category[i]))
                    covered.add({std::max(chunk->start[i], limit.begin),
                                 std::min(chunk->end(i), limit.end)});
            covered.end_row();
        }
    }
    return total_length(std::move(covered).take());
}

Table lanes_table(const Trace& trace, std::optional<TimeRange> range) {
    TableBuilder table(kLanesTable);
    for (const Lane& lane : trace.lanes) {
        if (lane.derived) continue;
        const Process& process = trace.processes[lane.process];
        if (trace.only_part != kNoRow && process.part != trace.only_part) continue;
        table.add({trace, lane, range, range ? content_of(lane, *range) : content_of(lane)});
    }
    return table.take();
}

}  // namespace lanescope
