#include "core/ingest/build/finish_trace.h"

#include <algorithm>

#include "core/trace/nesting.h"

namespace lanescope {

namespace {

// Nests the slices of every lane and lays them out. Each stage adds work that must finish before
// the next stage begins.
class LaneLayout {
  public:
    LaneLayout(BuilderState& state, const std::vector<LaneId>& final_lane, std::size_t lanes)
        : state_(state), lanes_(lanes) {
        for (uint32_t i = 0; i < state.lanes.size(); ++i)
            if (final_lane[i] != SliceRef::no_index) lanes_[final_lane[i]].build = &state.lanes[i];
        for (LaneWork& lane : lanes_) {
            lane.raw = std::move(lane.build->slices);
            if (lane.raw.size() > 0) lane.chunk = std::make_shared<Chunk>();
        }
        find_groups();
    }

    void plan(WorkList& work) {
        for (const Group& group : groups_) {
            work.add(group.slices * 8, [this, &group] {
                for (std::size_t id = group.begin; id < group.end; ++id) {
                    LaneWork& lane = lanes_[id];
                    if (!lane.chunk) continue;
                    lane.plan = plan_nesting(lane.raw.start, lane.raw.duration);
                    lane.chunk->rows = std::move(lane.plan.rows);
                    count_stack(lane);
                }
            });
        }
    }

    // The final place of each raw slice, by final lane.
    std::vector<Column<uint32_t>> take_places() {
        std::vector<Column<uint32_t>> places;
        places.reserve(lanes_.size());
        for (LaneWork& lane : lanes_) places.push_back(std::move(lane.plan.place));
        return places;
    }

    // Lays out one column of one group at a time and frees its source, so that the peak of memory
    // is little above the final size.
    void lay_out(const std::vector<Column<uint32_t>>& places, WorkList& work) {
        for (const Group& group : groups_) {
            const auto add_column = [&](auto RawSlices::*from, auto Chunk::*to) {
                work.add(group.slices, [this, &group, &places, from, to] {
                    lay_out_column(group, places, from, to);
                });
            };
            add_column(&RawSlices::start, &Chunk::start);
            add_column(&RawSlices::duration, &Chunk::duration);
            add_column(&RawSlices::name, &Chunk::name);
            add_column(&RawSlices::category, &Chunk::category);
            add_column(&RawSlices::source, &Chunk::source);
        }
    }

    // The rows have no levels of detail yet.
    void give_to(Trace& trace) {
        for (std::size_t id = 0; id < lanes_.size(); ++id) {
            const LaneWork& work = lanes_[id];
            if (!work.chunk) continue;
            Lane& lane = trace.lanes[id];
            lane.slice_count = work.chunk->size();
            lane.depth_count = static_cast<uint32_t>(work.chunk->rows.size());
            lane.chunks.push_back(work.chunk);
            trace.facts.max_stack = std::max<uint64_t>(trace.facts.max_stack, work.deepest);
            trace.facts.partial_overlaps += work.overlaps;
        }
        warn_of_overlaps();
    }

    void sum_up(WorkList& work) {
        for (const LaneWork& lane : lanes_) {
            if (!lane.chunk) continue;
            for (DepthRow& row : lane.chunk->rows)
                if (row.size() >= kMinLevelSlices)
                    work.add(row.size() * 4,
                             [&row, chunk = lane.chunk] { sum_up_row(*chunk, row); });
        }
    }

  private:
    // Adjacent lanes that are worked on together: a trace may have a hundred thousand with a few
    // slices each.
    struct Group {
        std::size_t begin;
        std::size_t end;
        std::size_t slices;
    };
    static constexpr std::size_t kSlicesOfGroup = 4096;  // unless a single lane has more

    struct LaneWork {
        LaneBuild* build = nullptr;
        RawSlices raw;
        NestingPlan plan;
        std::shared_ptr<Chunk> chunk;           // null: the lane has no slices
        std::vector<uint64_t> overlap_offsets;  // byte offsets of the first partial overlaps
        uint64_t deepest = 0;
        uint64_t overlaps = 0;
    };

    void find_groups() {
        for (std::size_t id = 0; id < lanes_.size(); ++id) {
            const std::size_t slices = lanes_[id].raw.size();
            if (slices == 0) continue;
            if (groups_.empty() || groups_.back().slices + slices > kSlicesOfGroup)
                groups_.push_back({id, id, 0});
            groups_.back().end = id + 1;
            groups_.back().slices += slices;
        }
    }

    // The lanes of a group share one allocation: a hundred thousand small ones would take most of
    // the time.
    template <typename T>
    void lay_out_column(const Group& group, const std::vector<Column<uint32_t>>& places,
                        Column<T> RawSlices::*from, Column<T> Chunk::*to) {
        if (group.end - group.begin == 1) {
            LaneWork& lane = lanes_[group.begin];
            (*lane.chunk).*to = lanescope::lay_out(lane.raw.*from, places[group.begin]);
            lane.raw.*from = {};
            return;
        }
        const auto all = std::make_shared<Column<T>>(group.slices);
        std::size_t first = 0;
        for (std::size_t id = group.begin; id < group.end; ++id) {
            LaneWork& lane = lanes_[id];
            if (!lane.chunk) continue;
            const Column<T>& raw = lane.raw.*from;
            for (std::size_t i = 0; i < raw.size(); ++i) (*all)[first + places[id][i]] = raw[i];
            (*lane.chunk).*to = all->shared(all, first, raw.size());
            first += raw.size();
            lane.raw.*from = {};
        }
    }

    // Facts count only the stack of complete events, which come first in a lane's raw slices.
    static void count_stack(LaneWork& lane) {
        for (const uint32_t index : lane.plan.overlapping)
            lane.overlap_offsets.push_back(lane.raw.source[index]);
        const uint32_t complete = lane.build->complete_events;
        if (complete == 0) return;
        lane.deepest = lane.plan.deepest_stack;
        lane.overlaps = lane.plan.partial_overlaps;
        if (!lane.build->has_pairs) return;
        const NestingPlan own = plan_nesting(lane.raw.start.span().first(complete),
                                             lane.raw.duration.span().first(complete));
        lane.deepest = own.deepest_stack;
        lane.overlaps = own.partial_overlaps;
    }

    // Warns of the lanes with most slices first.
    void warn_of_overlaps() {
        std::vector<const LaneWork*> lanes;
        for (const LaneWork& lane : lanes_)
            if (!lane.overlap_offsets.empty()) lanes.push_back(&lane);
        std::stable_sort(lanes.begin(), lanes.end(), [](const LaneWork* a, const LaneWork* b) {
            return a->chunk->size() > b->chunk->size();
        });
        for (const LaneWork* lane : lanes)
            for (const uint64_t offset : lane->overlap_offsets)
                state_.warn("partial_overlap", offset,
                            "a slice that overlaps its row only in part; drawn at the next free "
                            "depth");
    }

    BuilderState& state_;
    std::vector<LaneWork> lanes_;  // by final lane
    std::vector<Group> groups_;    // of the lanes that have slices
};

// The range for the first view: all slices except the profiler's own spans, which can be far away.
void fill_range(const BuilderState& state, Trace& trace) {
    if (state.first_time <= state.last_time) {
        trace.origin = state.first_time;
        trace.end = state.last_time;
    }
    TimeRange content{INT64_MAX, INT64_MIN};
    for (const Lane& lane : trace.lanes) {
        for (const auto& chunk : lane.chunks) {
            if (state.categories[chunk->category[0]].is(kProfilerSpan)) continue;
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
    facts.phases = state.words;
    for (const CategoryBuild& category : state.categories) {
        if (category.complete_events == 0) continue;
        const std::string name(state.strings[category.name]);
        facts.complete_by_category[name] = category.complete_events;
        facts.duration_ns_by_category[name] = category.duration;
        if (category.is(kGpuActivity)) facts.gpu_activities += category.complete_events;
    }
    facts.rows_with_complete_events = static_cast<uint64_t>(
        std::count_if(state.lanes.begin(), state.lanes.end(),
                      [](const LaneBuild& lane) { return lane.complete_events > 0; }));
    facts.zero_duration = state.zero_duration;
    facts.time_base_us = state.time_base_us;
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

Trace finish_trace(BuilderState state, unsigned workers, void (*complete_lanes)(BuilderState&)) {
    Trace trace;
    pair_events(state);
    pair_async_events(state);
    if (complete_lanes) complete_lanes(state);
    give_back_slack(state);
    WorkList work;
    make_counter_lanes(state, work);
    fill_facts(state, trace);
    for (const CategoryBuild& category : state.categories)
        trace.categories.push_back({category.name, category.event_class});
    trace.strings = std::move(state.strings);
    trace.name_traits = std::move(state.name_traits);
    const std::vector<LaneId> final_lane = order_lanes(state, trace);
    fill_instants(state, final_lane, trace, work);
    LaneLayout lanes(state, final_lane, trace.lanes.size());
    lanes.plan(work);
    work.run(workers);
    state.counters = {};
    std::vector<Column<uint32_t>> places = lanes.take_places();
    SideTableSorter tables(state, final_lane);
    lanes.lay_out(places, work);
    tables.find_orders(places, work);
    work.run(workers);
    places.clear();  // frees memory that the next step needs
    lanes.give_to(trace);
    tables.sort_launch_tables(work);
    work.run(workers);
    tables.link_and_sort_others(trace, work);
    lanes.sum_up(work);
    work.run(workers);
    tables.give_to(trace);
    fill_range(state, trace);
    trace.metadata = std::move(state.metadata);
    trace.compiled_code = std::move(state.compiled_code);
    trace.devices = std::move(state.devices);
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
        c.role = lane.role;
        c.process = lane.process;
        c.tid = lane.tid;
        c.name = lane.name;
        c.sort_index = lane.sort_index;
        c.has_sort_index = lane.has_sort_index;
        c.has_gpu_activity = lane.has_gpu_activity;
        c.has_samples = lane.has_samples;
        c.has_calls = lane.has_calls;
        c.classes = lane.classes;
        c.device = lane.device;
        c.slices = clone_slices(lane.slices);
        c.complete_events = lane.complete_events;
        c.instants = clone_instants(lane.instants);
    }
    copy.processes = processes;
    copy.pairs = pairs.clone();
    copy.asyncs = asyncs.clone();
    copy.counters = counters.clone();
    copy.devices = devices;
    copy.metadata = metadata;
    copy.compiled_code = compiled_code;
    copy.events = events;
    copy.first_time = first_time;
    copy.last_time = last_time;
    return copy;
}

}  // namespace lanescope
