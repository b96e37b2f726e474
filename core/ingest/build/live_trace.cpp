#include "core/ingest/build/live_trace.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/ingest/build/finish_trace.h"
#include "core/ingest/build/live_lane.h"
#include "core/ingest/build/trace_builder.h"

namespace lanescope {

namespace {

// Side tables up to this size are rebuilt for each snapshot.
constexpr std::size_t kMaxRowsRebuilt = 4096;

// Sizes of the builder's tables, for removing unfinished slices again.
struct Counts {
    uint64_t events, zero_duration;
    std::vector<CategoryBuild> categories;
    std::vector<uint32_t> by_lane;  // complete events
    std::vector<uint32_t> slices;   // raw slices

    explicit Counts(const BuilderState& state)
        : events(state.events), zero_duration(state.zero_duration), categories(state.categories) {
        for (const LaneBuild& lane : state.lanes) {
            by_lane.push_back(lane.complete_events);
            slices.push_back(lane.slices.size());
        }
    }

    void put_back(BuilderState& state) const {
        state.events = events;
        state.zero_duration = zero_duration;
        for (std::size_t i = 0; i < state.categories.size(); ++i) {
            const bool known = i < categories.size();
            state.categories[i].complete_events = known ? categories[i].complete_events : 0;
            state.categories[i].duration = known ? categories[i].duration : 0;
        }
        for (std::size_t i = 0; i < state.lanes.size(); ++i)
            state.lanes[i].complete_events = i < by_lane.size() ? by_lane[i] : 0;
    }
    uint32_t closed_of(std::size_t lane) const { return lane < slices.size() ? slices[lane] : 0; }
};

}  // namespace

struct LiveTrace::State {
    TraceBuilder builder;
    BuilderState& build;
    std::vector<LiveLane> lanes;  // numbered like the builder's lanes
    // For counters: by process, counter and series. For memory: by process, title and 0.
    std::map<std::tuple<uint32_t, StringId, StringId>, uint32_t> curves;
    std::size_t memory_curves_taken = 0;  // rows of memory
    // Rows of side tables before these are sealed.
    std::size_t sealed_gpu = 0, sealed_calls = 0, sealed_syncs = 0;
    std::size_t sealed_rows = 0;          // of all tables, also between others
    std::shared_ptr<const Trace> tables;  // side tables and links that snapshots share
    std::size_t rows_of_tables = 0;
    std::vector<LaneId> lanes_of_tables;
    Nanos forgotten_before = INT64_MIN;
    bool forgot = false;  // chunks were dropped since the tables were made

    FormatSteps format;

    explicit State(FormatSteps f) : build(builder.state()), format(std::move(f)) {}

    uint32_t curve(uint32_t process, StringId name, StringId series, StringId title);
    void take_samples();
    void take_memory_samples();
    void take_slices(std::span<const Batch> open);
    void move_rows();
    void move_rows(Column<SliceRef>& slices, std::size_t& sealed);
    std::size_t row_count() const;
    void make_tables(const std::vector<LaneId>& final_lane, Trace& trace);
    void share_tables(Trace& trace) const;
};

// Returns the lane of a curve.
uint32_t LiveTrace::State::curve(uint32_t process, StringId name, StringId series, StringId title) {
    const auto [found, is_new] =
        curves.try_emplace({process, name, series}, static_cast<uint32_t>(build.lanes.size()));
    if (is_new) {
        LaneBuild& lane = build.lanes.emplace_back();
        lane.kind = LaneKind::counter;
        lane.process = process;
        lane.name = title;
        lanes.resize(build.lanes.size());
    }
    return found->second;
}

void LiveTrace::State::take_samples() {
    const Column<CounterEvent> events = std::move(build.counters);
    build.counters = {};
    for (const CounterEvent& event : events) {
        const uint32_t process = build.lanes[event.lane].process;
        const auto known = curves.find({process, event.name, event.series});
        const uint32_t lane = known != curves.end()
                                  ? known->second
                                  : curve(process, event.name, event.series,
                                          curve_title(build, event.name, event.series));
        lanes[lane].take_sample(event.time, event.value);
    }
}

void LiveTrace::State::take_memory_samples() {
    const MemoryEvents& memory = build.tables.memory_events;
    for (std::size_t& i = memory_curves_taken; i < memory.time.size(); ++i) {
        if (memory.total_allocated[i] == kNoValue) continue;
        const StringId title =
            memory_curve_title(build, "allocated", memory.device_type[i], memory.device_id[i]);
        const uint32_t lane = curve(build.lanes[memory.lane[i]].process, title, 0, title);
        lanes[lane].take_sample(memory.time[i], static_cast<double>(memory.total_allocated[i]));
    }
}

// Open ranges are part of this snapshot's tail only, and are not counted.
void LiveTrace::State::take_slices(std::span<const Batch> open) {
    pair_async_events(build);
    const Counts counts(build);
    for (const Batch& batch : open) builder.append(batch);
    lanes.resize(build.lanes.size());
    for (std::size_t i = 0; i < build.lanes.size(); ++i) {
        LaneBuild& lane = build.lanes[i];
        lanes[i].take_instants(lane.instants);
        lanes[i].take(lane.slices, counts.closed_of(i));
        lane.has_sealed_slices = lanes[i].has_slices();
        lane.has_sealed_instants = lanes[i].has_instants();
    }
    counts.put_back(build);
    move_rows();
}

void LiveTrace::State::move_rows(Column<SliceRef>& slices, std::size_t& sealed) {
    for (std::size_t i = sealed; i < slices.size(); ++i) {
        SliceRef& slice = slices[i];
        const std::vector<uint32_t>& moved = lanes[slice.lane].moved();
        if (!(slice.index & kSealedIndex) && !moved.empty()) {
            slice.index = moved[slice.index];
            if (slice.index & kSealedIndex) ++sealed_rows;
        }
        if (i == sealed && (slice.index & kSealedIndex)) ++sealed;
    }
}

void LiveTrace::State::move_rows() {
    move_rows(build.tables.gpu_activities.slice, sealed_gpu);
    move_rows(build.tables.runtime_calls.slice, sealed_calls);
    move_rows(build.tables.synchronisations.slice, sealed_syncs);
    // The calls of a stack that is still being sampled have no counts yet. Their counts are
    // available when the complete file is loaded.
    build.tables.sampled_calls = {};
}

std::size_t LiveTrace::State::row_count() const {
    return build.tables.gpu_activities.rows() + build.tables.runtime_calls.rows() +
           build.tables.synchronisations.rows() + build.tables.memory_events.rows();
}

void LiveTrace::State::make_tables(const std::vector<LaneId>& final_lane, Trace& trace) {
    const std::size_t rows = sealed_rows + build.tables.memory_events.rows();
    const bool grown = rows > rows_of_tables + rows_of_tables / 4 || rows <= kMaxRowsRebuilt;
    if (tables && !forgot && final_lane == lanes_of_tables && (!grown || rows == rows_of_tables))
        return;
    auto made = std::make_shared<Trace>();
    // Needed to find launches and the ends of links.
    made->lanes = trace.lanes;
    made->processes = trace.processes;
    std::swap(made->strings, trace.strings);
    copy_side_tables(
        build, final_lane,
        [&](SliceRef slice) -> SliceRef {
            uint32_t index = 0;
            if (!(slice.index & kSealedIndex) || !lanes[slice.lane].shown_index(slice.index, index))
                return {};
            return {final_lane[slice.lane], index};
        },
        *made);
    made->lanes.clear();
    std::swap(made->strings, trace.strings);
    tables = std::move(made);
    rows_of_tables = rows;
    lanes_of_tables = final_lane;
    forgot = false;
}

void LiveTrace::State::share_tables(Trace& trace) const {
    share_side_tables(tables, trace);
    for (std::size_t i = 0; i < tables->processes.size(); ++i)
        trace.processes[i].owner = tables->processes[i].owner;
    trace.launch_configs = tables->launch_configs;
    trace.links = tables->links;
    trace.links_by_target = tables->links_by_target;
    trace.facts.gpu_activities_with_launch = tables->facts.gpu_activities_with_launch;
}

LiveTrace::LiveTrace(FormatSteps format) : state_(std::make_unique<State>(std::move(format))) {}
LiveTrace::~LiveTrace() = default;

void LiveTrace::append(const Batch& batch) {
    state_->builder.append(batch);
}

void LiveTrace::warn(const std::string& code, uint64_t byte_offset, std::string_view text) {
    state_->builder.warn(code, byte_offset, text);
}

void LiveTrace::set_facts(std::vector<std::pair<std::string, std::string>> members,
                          std::vector<Device> devices) {
    state_->build.metadata = std::move(members);
    state_->build.devices = std::move(devices);
}

Trace LiveTrace::snapshot(std::span<const Batch> open) {
    State& state = *state_;
    BuilderState& build = state.build;
    state.take_slices(open);
    state.take_samples();
    state.take_memory_samples();
    Trace trace;
    for (const auto& [key, lane] : state.curves)
        build.lanes[lane].counter = state.lanes[lane].series();
    fill_facts(build, trace);
    for (const CategoryBuild& category : build.categories)
        trace.categories.push_back({category.name, category.event_class});
    trace.strings = build.strings.clone();
    trace.name_traits = build.name_traits;
    const std::vector<LaneId> final_lane = order_lanes(build, trace);
    for (std::size_t i = 0; i < final_lane.size(); ++i) {
        if (final_lane[i] == SliceRef::no_index) continue;
        const LiveLane& lane = state.lanes[i];
        lane.show(trace.lanes[final_lane[i]]);
        trace.facts.max_stack = std::max<uint64_t>(trace.facts.max_stack, lane.deepest_stack());
        trace.facts.partial_overlaps += lane.partial_overlaps();
    }
    state.make_tables(final_lane, trace);
    state.share_tables(trace);
    if (build.first_time <= build.last_time) {
        trace.origin = build.first_time;
        trace.end = build.last_time;
    }
    trace.content = {kept_from(), trace.end};
    trace.metadata = build.metadata;
    trace.devices = build.devices;
    if (state.format.describe) state.format.describe(trace);
    fill_warnings(build, trace);
    return trace;
}

void LiveTrace::forget_before(Nanos time) {
    if (time <= state_->forgotten_before || time <= state_->build.first_time) return;
    state_->forgotten_before = time;
    state_->forgot = true;
    for (LiveLane& lane : state_->lanes) lane.forget_before(time);
}

uint64_t LiveTrace::event_count() const {
    return state_->builder.event_count();
}

Nanos LiveTrace::kept_from() const {
    const BuilderState& build = state_->build;
    if (build.first_time > build.last_time) return 0;
    return std::max(build.first_time, state_->forgotten_before);
}

Nanos LiveTrace::last_time() const {
    const BuilderState& build = state_->build;
    return build.first_time > build.last_time ? 0 : build.last_time;
}

uint64_t LiveTrace::bytes() const {
    const BuilderState& build = state_->build;
    uint64_t bytes = build.strings.bytes();
    for (const LiveLane& lane : state_->lanes) bytes += lane.bytes();
    for (const LaneBuild& lane : build.lanes) {
        const RawSlices& raw = lane.slices;
        bytes += raw.start.bytes() + raw.duration.bytes() + raw.name.bytes() +
                 raw.category.bytes() + raw.source.bytes();
    }
    constexpr uint64_t row_bytes = 60;  // of a side table, about
    return bytes + 2 * row_bytes * state_->row_count();
}

}  // namespace lanescope
