#include "core/analysis/structure/lanes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/intervals.h"

namespace lanescope {

namespace {

constexpr std::array kLanesColumns = {
    ColumnSpec{"process", ValueType::text, Unit::none, "the file names none",
               "Name of the process or device that the lane belongs to."},
    ColumnSpec{"pid", ValueType::text, Unit::none, "", "Its id, as the file writes it."},
    ColumnSpec{"device", ValueType::integer, Unit::none, "not a lane of a GPU",
               "Ordinal of the GPU."},
    ColumnSpec{"lane", ValueType::text, Unit::none, "",
               "Name of the thread, stream, async track or counter."},
    ColumnSpec{"tid", ValueType::text, Unit::none, "not in the file",
               "Id of the thread, stream or async track, as the file writes it."},
    ColumnSpec{"kind", ValueType::text, Unit::none, "",
               "thread, stream, async, counter, or samples."},
    ColumnSpec{"slices", ValueType::integer, Unit::count, "", "Events with a duration."},
    ColumnSpec{"instants", ValueType::integer, Unit::count, "", "Events without one."},
    ColumnSpec{"points", ValueType::integer, Unit::count, "not a counter",
               "Values of the counter."},
    ColumnSpec{"depth", ValueType::integer, Unit::count, "",
               "Rows needed to show the nested slices of the whole lane."},
    ColumnSpec{"start_ns", ValueType::integer, Unit::nanoseconds, "nothing in it",
               "Begin of the first event, from the trace's origin."},
    ColumnSpec{"end_ns", ValueType::integer, Unit::nanoseconds, "nothing in it",
               "End of the last event, from the trace's origin."},
    ColumnSpec{
        "busy_ns", ValueType::integer, Unit::nanoseconds, "",
        "Time covered by at least one slice; of a stream, by work: annotations are left out."},
};

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

Cell text_or_unknown(const Trace& trace, StringId id) {
    const std::string_view text = trace.strings[id];
    return text.empty() ? Cell() : Cell(text);
}

}  // namespace

const TableSpec kLanesTable = {"lanes", "The contents of each lane, and its busy time.",
                               kLanesColumns};

std::string_view lane_kind_name(LaneKind kind) {
    switch (kind) {
        case LaneKind::thread:
            return "thread";
        case LaneKind::stream:
            return "stream";
        case LaneKind::async:
            return "async";
        case LaneKind::counter:
            return "counter";
        case LaneKind::samples:
            return "samples";
    }
    return "";
}

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
    Table table(kLanesTable);
    for (const Lane& lane : trace.lanes) {
        if (lane.derived) continue;
        const Process& process = trace.processes[lane.process];
        if (trace.only_part != kNoRow && process.part != trace.only_part) continue;
        const Content content = range ? content_of(lane, *range) : content_of(lane);
        const bool has_events = content.slices + content.instants + content.points > 0;
        table.add_row({
            text_or_unknown(trace, process.name),
            trace.strings[process.pid],
            process.is_gpu ? Cell(int64_t{process.device}) : Cell(),
            trace.strings[lane.name],
            text_or_unknown(trace, lane.tid),
            lane_kind_name(lane.kind),
            content.slices,
            content.instants,
            lane.kind == LaneKind::counter ? Cell(content.points) : Cell(),
            int64_t{lane.depth_count},
            has_events ? Cell(content.span.begin - trace.origin) : Cell(),
            has_events ? Cell(content.span.end - trace.origin) : Cell(),
            busy_time(trace, lane, range),
        });
    }
    return table;
}

}  // namespace lanescope
