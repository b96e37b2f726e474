#include "core/trace/edit_slices.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "core/trace/nesting.h"

namespace lanescope {

namespace {

// The new number of each slice of the edited lanes; SliceRef::no_index: removed.
using NewIndex = std::vector<std::vector<uint32_t>>;

RawSlices left_of(const Lane& lane, std::span<const SliceEdit> edits, std::vector<uint32_t>& raw) {
    RawSlices left;
    raw.assign(lane.slice_count, SliceRef::no_index);
    auto next = edits.begin();
    for (uint32_t i = 0; i < lane.slice_count; ++i) {
        const auto [chunk, at] = lane.locate(i);
        Nanos duration = chunk->duration[at];
        if (next != edits.end() && next->slice.index == i) {
            const std::optional<Nanos> changed = (next++)->duration;
            if (!changed) continue;
            duration = *changed;
        }
        raw[i] = left.size();
        left.start.push_back(chunk->start[at]);
        left.duration.push_back(duration);
        left.name.push_back(chunk->name[at]);
        left.category.push_back(chunk->category[at]);
        left.source.push_back(chunk->source[at]);
    }
    return left;
}

void edit_lane(Lane& lane, std::span<const SliceEdit> edits, std::vector<uint32_t>& new_index) {
    NestingResult nested = nest(left_of(lane, edits, new_index));
    for (uint32_t& index : new_index)
        if (index != SliceRef::no_index) index = nested.place[index];
    lane.slice_count = nested.chunk.size();
    lane.depth_count = static_cast<uint32_t>(nested.chunk.rows.size());
    lane.chunks.clear();
    if (lane.slice_count > 0)
        lane.chunks.push_back(std::make_shared<const Chunk>(std::move(nested.chunk)));
}

SliceRef moved(const NewIndex& places, SliceRef slice) {
    if (!slice || places[slice.lane].empty()) return slice;
    const uint32_t index = places[slice.lane][slice.index];
    return index == SliceRef::no_index ? SliceRef() : SliceRef{slice.lane, index};
}

// Renumbers the slices of a table, and drops the rows of removed ones.
template <typename Table>
void edit_table(Table& table, const NewIndex& places) {
    struct Row {
        SliceRef slice;
        uint32_t from;
    };
    std::vector<Row> rows;
    for (uint32_t row = 0; row < table.slice.size(); ++row)
        if (const SliceRef slice = moved(places, table.slice[row])) rows.push_back({slice, row});
    std::ranges::sort(rows, {}, &Row::slice);
    Column<uint32_t> order(rows.size());
    Column<SliceRef> slices(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        order[i] = rows[i].from;
        slices[i] = rows[i].slice;
    }
    table.slice = std::move(slices);
    for_each_fact(
        [&](auto, auto& column) {
            if (!column.empty()) reorder(column, order);
        },
        table);
}

void edit_links(Trace& trace, const NewIndex& places) {
    std::vector<Link> links;
    for (const Link& link : trace.links) {
        const Link kept = {moved(places, link.from), moved(places, link.to), link.kind};
        if (kept.from && kept.to) links.push_back(kept);
    }
    const auto by_source = [](const Link& link) { return std::pair(link.from, link.to); };
    std::ranges::stable_sort(links, {}, by_source);
    trace.links = std::move(links);
    trace.links_by_target.resize(trace.links.size());
    std::iota(trace.links_by_target.begin(), trace.links_by_target.end(), 0U);
    std::ranges::stable_sort(trace.links_by_target, {}, [&](uint32_t link) {
        return std::pair(trace.links[link].to, trace.links[link].from);
    });
}

void find_times(Trace& trace) {
    TimeRange all = {INT64_MAX, INT64_MIN};
    const auto add = [&](Nanos begin, Nanos end) {
        all.begin = std::min(all.begin, begin);
        all.end = std::max(all.end, end);
    };
    for (const Lane& lane : trace.lanes) {
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) add(chunk->start[i], chunk->end(i));
        if (lane.instants && !lane.instants->time.empty())
            add(*lane.instants->time.begin(), *(lane.instants->time.end() - 1));
        if (lane.counter && !lane.counter->time.empty())
            add(*lane.counter->time.begin(), *(lane.counter->time.end() - 1));
    }
    if (all.begin > all.end) return;
    trace.content = {std::max(trace.content.begin, all.begin),
                     std::min(trace.content.end, all.end)};
    trace.origin = std::max(trace.origin, all.begin);
    trace.end = std::min(trace.end, all.end);
}

}  // namespace

void edit_slices(Trace& trace, std::vector<SliceEdit> edits) {
    if (edits.empty()) return;
    std::ranges::sort(edits, {}, &SliceEdit::slice);
    NewIndex places(trace.lanes.size());
    for (auto begin = edits.begin(); begin != edits.end();) {
        const LaneId lane = begin->slice.lane;
        const auto end = std::ranges::find_if(
            begin, edits.end(), [lane](const SliceEdit& edit) { return edit.slice.lane != lane; });
        edit_lane(trace.lanes[lane], std::span(begin, end), places[lane]);
        begin = end;
    }
    for_each_table(
        [&](auto& table) {
            if constexpr (requires { table.slice; }) edit_table(table, places);
        },
        static_cast<SideTables&>(trace));
    edit_links(trace, places);
    find_times(trace);
}

}  // namespace lanescope
