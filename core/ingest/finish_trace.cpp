#include "core/ingest/finish_trace.h"

#include <algorithm>
#include <functional>

#include "core/base/parallel.h"
#include "core/ingest/text_repair.h"
#include "core/ingest/trace_metadata.h"
#include "core/trace/nesting.h"

namespace lanescope {

namespace {

struct LaneWork {
    RawSlices raw;
    NestingPlan plan;
    std::shared_ptr<Chunk> chunk;
    std::vector<uint64_t> overlaps;  // byte offsets of the first partial overlaps
};

// Facts count the stack of complete events alone, which come first in a lane's raw slices.
void count_stack(const LaneBuild& lane, const LaneWork& work, uint64_t& deepest,
                 uint64_t& overlaps) {
    if (lane.complete_events == 0) return;
    if (!lane.has_pairs) {
        deepest = work.plan.deepest_stack;
        overlaps = work.plan.partial_overlaps;
        return;
    }
    const NestingPlan own = plan_nesting(work.raw.start.span().first(lane.complete_events),
                                         work.raw.duration.span().first(lane.complete_events));
    deepest = own.deepest_stack;
    overlaps = own.partial_overlaps;
}

// Nests every lane and lays its slices out. Returns the place of each raw slice, by final lane.
std::vector<Column<uint32_t>> lay_out_lanes(BuilderState& state,
                                            const std::vector<LaneId>& final_lane, Trace& trace,
                                            unsigned workers) {
    std::vector<LaneWork> lanes(trace.lanes.size());
    std::vector<uint64_t> deepest(lanes.size());
    std::vector<uint64_t> overlaps(lanes.size());
    std::vector<uint32_t> by_size;
    std::vector<uint32_t> build_of(lanes.size());
    for (uint32_t i = 0; i < state.lanes.size(); ++i)
        if (final_lane[i] != SliceRef::no_index) build_of[final_lane[i]] = i;
    for (uint32_t id = 0; id < lanes.size(); ++id) {
        lanes[id].raw = std::move(state.lanes[build_of[id]].slices);
        if (lanes[id].raw.size() > 0) by_size.push_back(id);
    }
    std::sort(by_size.begin(), by_size.end(),
              [&](uint32_t a, uint32_t b) { return lanes[a].raw.size() > lanes[b].raw.size(); });
    parallel_for(workers, by_size.size(), [&](std::size_t i) {
        LaneWork& lane = lanes[by_size[i]];
        lane.plan = plan_nesting(lane.raw.start, lane.raw.duration);
        lane.chunk = std::make_shared<Chunk>();
        lane.chunk->rows = std::move(lane.plan.rows);
        for (const uint32_t index : lane.plan.overlapping)
            lane.overlaps.push_back(lane.raw.source[index]);
        count_stack(state.lanes[build_of[by_size[i]]], lane, deepest[by_size[i]],
                    overlaps[by_size[i]]);
    });
    // One column of one lane at a time, each freed as it is done: the peak is little over what
    // stays.
    constexpr std::size_t columns = 5;
    parallel_for(workers, by_size.size() * columns, [&](std::size_t i) {
        LaneWork& lane = lanes[by_size[i / columns]];
        const auto move_column = [&](auto& from, auto& to) {
            to = lay_out(from, lane.plan.place);
            from = {};
        };
        switch (i % columns) {
            case 0:
                return move_column(lane.raw.start, lane.chunk->start);
            case 1:
                return move_column(lane.raw.duration, lane.chunk->duration);
            case 2:
                return move_column(lane.raw.name, lane.chunk->name);
            case 3:
                return move_column(lane.raw.category, lane.chunk->category);
            default:
                return move_column(lane.raw.source, lane.chunk->source);
        }
    });
    std::vector<std::pair<uint32_t, uint32_t>> rows;
    for (const uint32_t id : by_size)
        for (uint32_t depth = 0; depth < lanes[id].chunk->rows.size(); ++depth)
            if (lanes[id].chunk->rows[depth].size() >= kMinLevelSlices)
                rows.emplace_back(id, depth);
    parallel_for(workers, rows.size(), [&](std::size_t i) {
        Chunk& chunk = *lanes[rows[i].first].chunk;
        sum_up_row(chunk, chunk.rows[rows[i].second]);
    });
    std::vector<Column<uint32_t>> place(lanes.size());
    for (const uint32_t id : by_size) {
        Lane& lane = trace.lanes[id];
        lane.slice_count = lanes[id].chunk->size();
        lane.depth_count = static_cast<uint32_t>(lanes[id].chunk->rows.size());
        lane.chunks.push_back(std::move(lanes[id].chunk));
        place[id] = std::move(lanes[id].plan.place);
        trace.facts.max_stack = std::max(trace.facts.max_stack, deepest[id]);
        trace.facts.partial_overlaps += overlaps[id];
        for (const uint64_t offset : lanes[id].overlaps)
            state.warn("partial_overlap", offset,
                       "a slice that overlaps its row only in part; drawn at the next free depth");
    }
    return place;
}

// What a first view frames: all slices but the profiler's own spans, which can be far off.
void fill_range(const BuilderState& state, Trace& trace) {
    if (state.first_time <= state.last_time) {
        trace.origin = state.first_time;
        trace.end = state.last_time;
    }
    TimeRange content{INT64_MAX, INT64_MIN};
    for (const Lane& lane : trace.lanes) {
        for (const auto& chunk : lane.chunks) {
            const StringId category = trace.categories[chunk->category[0]].name;
            if (trace.strings[category] == "Trace") continue;
            for (const DepthRow& row : chunk->rows) {
                if (row.size() == 0) continue;
                content.begin = std::min(content.begin, chunk->start[row.begin]);
                content.end = std::max(content.end, chunk->end(row.end - 1));
            }
        }
    }
    trace.content = content.begin < content.end ? content : TimeRange{trace.origin, trace.end};
}

}  // namespace

void fill_facts(const BuilderState& state, Trace& trace) {
    FileFacts& facts = trace.facts;
    facts.events = state.events;
    for (int phase = 2; phase < 256; ++phase)
        if (state.phase_count[phase])
            facts.phases[repair_text(std::string(1, static_cast<char>(phase)))] +=
                state.phase_count[phase];
    if (state.phase_count[0]) facts.phases[""] = state.phase_count[0];
    for (const auto& [phase, count] : state.odd_phases) facts.phases[phase] += count;
    if (state.not_objects) facts.phases["not an object"] = state.not_objects;
    if (state.unreadable) facts.phases["X unreadable"] = state.unreadable;
    for (const CategoryBuild& category : state.categories) {
        if (category.complete_events == 0) continue;
        const std::string name(state.strings[category.name]);
        facts.complete_by_category[name] = category.complete_events;
        facts.duration_ns_by_category[name] = category.duration;
        if (category.is_gpu_activity) facts.gpu_activities += category.complete_events;
    }
    facts.rows_with_complete_events = static_cast<uint64_t>(
        std::count_if(state.lanes.begin(), state.lanes.end(),
                      [](const LaneBuild& lane) { return lane.complete_events > 0; }));
    facts.zero_duration = state.zero_duration;
}

void fill_warnings(BuilderState& state, Trace& trace) {
    const auto overlaps = state.warnings.find("partial_overlap");
    if (overlaps != state.warnings.end())
        overlaps->second.count = std::max(overlaps->second.count, trace.facts.partial_overlaps);
    for (const auto& [code, warning] : state.warnings) {
        const uint64_t first = warning.offsets.empty() ? Error::no_offset : warning.offsets.front();
        trace.warnings.push_back({code, warning.count, first, warning.text, warning.offsets});
    }
}

Trace finish_trace(BuilderState state, unsigned workers) {
    Trace trace;
    pair_events(state);
    pair_async_events(state);
    give_back_slack(state);
    make_counter_lanes(state, workers);
    fill_facts(state, trace);
    for (const CategoryBuild& category : state.categories)
        trace.categories.push_back({category.name, category.event_class});
    trace.strings = std::move(state.strings);
    trace.name_traits = std::move(state.name_traits);
    const std::vector<LaneId> final_lane = order_lanes(state, trace);
    fill_instants(state, final_lane, trace, workers);
    fill_side_tables(state, final_lane, lay_out_lanes(state, final_lane, trace, workers), trace,
                     workers);
    fill_range(state, trace);
    read_metadata(state.metadata, trace);
    fill_warnings(state, trace);
    return trace;
}

namespace {

RawSlices clone_slices(const RawSlices& raw) {
    return {raw.start.clone(), raw.duration.clone(), raw.name.clone(), raw.category.clone(),
            raw.source.clone()};
}

Instants clone_instants(const Instants& instants) {
    return {instants.time.clone(), instants.name.clone(), instants.category.clone(),
            instants.source.clone()};
}

}  // namespace

BuilderState BuilderState::clone() const {
    BuilderState copy;
    copy.strings = strings.clone();
    copy.name_traits = name_traits;
    copy.categories = categories;
    for (const LaneBuild& lane : lanes) {
        LaneBuild& c = copy.lanes.emplace_back();
        c.kind = lane.kind;
        c.pid = lane.pid;
        c.tid = lane.tid;
        c.name = lane.name;
        c.sort_index = lane.sort_index;
        c.has_sort_index = lane.has_sort_index;
        c.has_gpu_activity = lane.has_gpu_activity;
        c.has_samples = lane.has_samples;
        c.has_calls = lane.has_calls;
        c.device = lane.device;
        c.slices = clone_slices(lane.slices);
        c.complete_events = lane.complete_events;
        c.instants = clone_instants(lane.instants);
    }
    copy.processes = processes;
    copy.pairs = pairs.clone();
    copy.asyncs = asyncs.clone();
    copy.counters = counters.clone();
    copy.metadata = metadata;
    copy.events = events;
    copy.first_time = first_time;
    copy.last_time = last_time;
    return copy;
}

}  // namespace lanescope
