// Passes everything to the builder after the tracks and the ends of slices are known.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/ingest/json/json_number.h"
#include "core/ingest/perfetto/pftrace_reader.h"

namespace lanescope {

namespace {

constexpr std::string_view kMemoryCurves[] = {"memory allocated · ", "memory reserved · "};

// Copies an event's rows of one table to the event's new number.
template <typename Row>
void copy_rows(const std::vector<Row>& from, uint32_t event, uint32_t number,
               std::vector<Row>& to) {
    for (auto row = std::ranges::lower_bound(from, event, {}, &Row::event);
         row != from.end() && row->event == event; ++row) {
        to.push_back(*row);
        to.back().event = number;
    }
}

}  // namespace

void PftraceReader::finish() {
    add_states();
    add_sched();
    mark_tracks();
    tracks_.resolve();
    PairedEvents paired = pair_stored_events(store_, tracks_);
    write_slices(paired);
    add_samples();
    write_stages();
    write_points();
    write_asyncs();
    write_flows(paired);
    tracks_.write_names();
}

void PftraceReader::mark_tracks() {
    std::vector<uint8_t> kinds;  // by category
    for (const auto& [word, category] : categories_) {
        if (category.id >= kinds.size()) kinds.resize(category.id + 1);
        kinds[category.id] = category.is_gpu_work ? 1 : category.is_cpu_work ? 2 : 0;
    }
    for (const StoredEvent& event : store_.events) {
        const uint8_t kind = event.kind != StoredKind::end && event.category < kinds.size()
                                 ? kinds[event.category]
                                 : uint8_t{0};
        TrackNode& node = tracks_[tracks_[event.track].stack];
        node.has_gpu_work |= kind == 1;
        node.has_other_work |= kind == 2 && event.kind != StoredKind::instant;
    }
    for (const FactRow<GpuFacts>& row : store_.rows.gpu_activities) {
        TrackNode& node = tracks_[tracks_[store_.events[row.event].track].stack];
        if (node.device < 0) node.device = row.device;
    }
}

// A state lasts until the next state of its track. A state without a name only ends the previous
// one.
void PftraceReader::add_states() {
    std::ranges::stable_sort(states_, [](const State& a, const State& b) {
        return std::tie(a.track, a.time) < std::tie(b.track, b.time);
    });
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const State& state = states_[i];
        if (!tracks_[state.track].is_state) {
            if (counts_.states_elsewhere++ == 0) counts_.states_elsewhere_at = state.source;
            continue;
        }
        const bool is_last = i + 1 == states_.size() || states_[i + 1].track != state.track;
        const Nanos end = is_last ? std::max(last_time_, state.time) : states_[i + 1].time;
        if (!sink_[state.name].empty())
            store_.add_whole({state.time, state.source, state.track, state.name, state.category,
                              StoredKind::whole, false},
                             end);
    }
}

void PftraceReader::add_sched() {
    if (sched_.is_empty()) return;
    const LocalId on_cpu = sink_.category({"sched", EventClass::other, 0});
    for (const RunOnCpu& run : sched_.runs(last_time_)) {
        const std::string tid = std::to_string(run.tid);
        const std::string_view name = tracks_.name_of_thread(tid);
        const LocalId text =
            sink_.text(name.empty() ? fmt::format("thread {}", tid) : std::string(name));
        store_.add_whole({run.begin, run.source, tracks_.of_cpu(run.cpu), text, on_cpu,
                          StoredKind::whole, false},
                         run.end);
    }
    const LocalId of_thread = sink_.category({"thread_state", EventClass::other, 0});
    for (const StateOfThread& state : sched_.states(last_time_))
        store_.add_whole(
            {state.begin, state.source, tracks_.states_of(std::to_string(state.tid)),
             sink_.text(task_state_name(state.state)), of_thread, StoredKind::whole, false},
            state.end);
}

void PftraceReader::write_event(const StoredEvent& event, uint32_t number, Nanos end) {
    const TrackNode& node = tracks_[tracks_[event.track].stack];
    const LocalId lane = tracks_.lane(event.track);
    if (node.is_async) return write_exported_async(event, lane, end);
    const uint32_t added =
        sink_.slice(lane, event.time, end - event.time, event.name, event.category, event.source);
    if (!event.has_rows) return;
    for_each_table([&](auto& to, const auto& from) { copy_rows(from, number, added, to); },
                   sink_.rows(), store_.rows);
}

// Ranges of an exported track nest, like those of an asynchronous track.
void PftraceReader::write_exported_async(const StoredEvent& event, LocalId lane, Nanos end) {
    RawEvent raw;
    raw.lane = lane;
    raw.time = event.time;
    raw.name = event.name;
    raw.category = event.category;
    raw.kind = EventKind::async_begin;
    raw.flags = kHasTime | kHasId;
    raw.id = event.track;
    asyncs_.push_back({raw, event.track, event.source});
    raw.kind = EventKind::async_end;
    raw.time = end;
    asyncs_.push_back({raw, event.track, event.source});
}

void PftraceReader::write_slices(const PairedEvents& paired) {
    std::vector<StoredSlice> slices = paired.slices;
    slices.insert(slices.end(), store_.wholes.begin(), store_.wholes.end());
    const Nanos last = last_time_;
    for (const uint32_t begin : paired.unclosed)
        slices.push_back({begin, std::max(last, store_.events[begin].time)});
    // Sorted in file order, like the numbers of the events.
    std::ranges::sort(slices, {}, &StoredSlice::event);
    for (const StoredSlice& slice : slices) {
        if (!stopped_) return;
        write_event(store_.events[slice.event], slice.event, slice.end);
    }
    const auto first_of = [&](const std::vector<uint32_t>& list) {
        return store_.events[*std::ranges::min_element(list)].source;
    };
    if (!paired.unclosed.empty())
        warn("unclosed_begin", paired.unclosed.size(), first_of(paired.unclosed),
             "a begin without an end; drawn to the end of the trace");
    if (!paired.unopened_ends.empty())
        warn("unopened_end", paired.unopened_ends.size(), first_of(paired.unopened_ends),
             "an end without a begin, as at the beginning of a recording; left out");
    for (uint32_t i = 0; i < store_.events.size(); ++i) {
        const StoredEvent& event = store_.events[i];
        if (event.kind != StoredKind::instant) continue;
        const LocalId lane = tracks_.lane(event.track);
        const uint32_t added =
            sink_.instant(lane, event.time, event.name, event.category, event.source);
        if (event.has_rows)
            for_each_table([&](auto& to, const auto& from) { copy_rows(from, i, added, to); },
                           sink_.rows(), store_.rows);
    }
}

void PftraceReader::write_points() {
    const LocalId none = sink_.category({"", EventClass::other, 0});
    for (const Point& point : points_) {
        if (!stopped_) return;
        const TrackNode& node = tracks_[point.track];
        std::string name = node.name.empty() ? node.first_name : node.name;
        if (name.empty()) name = "counter";
        // Curves that are derived from memory events are derived again.
        const bool is_known = is_own_ && !store_.rows.memory_events.empty() &&
                              std::ranges::any_of(kMemoryCurves, [&](std::string_view begin) {
                                  return name.starts_with(begin);
                              });
        if (is_known) continue;
        if (!node.counter.unit.empty() && !node.is_exported)
            name += fmt::format(" ({})", node.counter.unit);
        sink_.counter(sink_.curves(tracks_.owner(point.track)), point.time, sink_.text(name),
                      sink_.text(""), point.value, none, point.source);
    }
    for (const NamedPoint& point : named_points_) {
        if (!stopped_) return;
        const LocalId owner = point.owner == kNoLocalId ? tracks_.owner(point.track) : point.owner;
        sink_.counter(sink_.curves(owner), point.time, point.name, point.series, point.value, none,
                      point.source);
    }
}

void PftraceReader::write_asyncs() {
    for (AsyncEvent& async : asyncs_) {
        if (!stopped_) return;
        async.event.lane = tracks_.lane(async.track);
        sink_.add(async.event, async.source);
    }
}

// Connects slices with the same flow ID, in the order of time. An ended flow may start again.
void PftraceReader::write_flows(const PairedEvents& paired) {
    std::ranges::stable_sort(flows_, [](const FlowPoint& a, const FlowPoint& b) {
        return std::tie(a.id, a.time) < std::tie(b.id, b.time);
    });
    const auto correlation_of = [&](uint32_t event) -> std::pair<int64_t, bool> {
        const auto find = [&](const auto& rows) -> std::optional<int64_t> {
            const auto row = std::ranges::lower_bound(rows, event, {},
                                                      [](const auto& one) { return one.event; });
            if (row == rows.end() || row->event != event) return std::nullopt;
            return row->correlation;
        };
        if (const auto call = find(store_.rows.runtime_calls)) return {*call, false};
        if (const auto work = find(store_.rows.gpu_activities)) return {*work, true};
        return {kNoValue, false};
    };
    // Flows between a call and its work repeat the information of their correlation.
    const auto repeats = [&](const FlowPoint& a, const FlowPoint& b) {
        const auto first = correlation_of(a.event);
        const auto second = correlation_of(b.event);
        return first.first != kNoValue && first.first == second.first;
    };
    const LocalId plain = sink_.category({"flow", EventClass::other, 0});
    const LocalId launch = sink_.category({"launch", EventClass::other, kLaunchFlow});
    const LocalId backward = sink_.category({"fwdbwd", EventClass::other, kForwardBackward});
    int64_t number = 0;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
        if (!stopped_) return;
        const FlowPoint& to = flows_[i];
        if (i == 0 || flows_[i - 1].id != to.id || flows_[i - 1].is_end) continue;
        const FlowPoint& from = flows_[i - 1];
        if (from.event == to.event || repeats(from, to)) continue;
        ++number;
        constexpr auto backward_kind = static_cast<uint8_t>(LinkKind::forward_backward) + 1;
        const bool launches = !correlation_of(from.event).second && correlation_of(to.event).second;
        const LocalId category = to.kind == backward_kind ? backward : launches ? launch : plain;
        const auto add = [&](const FlowPoint& point, EventKind kind) {
            StoredEvent event = store_.events[point.event];
            const auto begin =
                std::ranges::lower_bound(paired.begin_of_end, std::pair(point.event, uint32_t{0}));
            if (begin != paired.begin_of_end.end() && begin->first == point.event)
                event = store_.events[begin->second];
            RawEvent raw;
            raw.time = event.time;
            raw.id = number;
            raw.lane = tracks_.lane(event.track);
            raw.kind = kind;
            raw.flags = kHasTime | kHasId | kBindEnclosing;
            raw.category = category;
            sink_.add(raw, event.source);
        };
        add(from, EventKind::flow_begin);
        add(to, EventKind::flow_end);
    }
}

// Correlations of work that is recorded as slices.
std::unordered_set<int64_t> PftraceReader::launched_by_events() const {
    std::unordered_set<int64_t> known;
    for (const FactRow<GpuFacts>& row : store_.rows.gpu_activities)
        if (row.correlation != kNoValue) known.insert(row.correlation);
    return known;
}

void PftraceReader::write_stages() {
    const std::unordered_set<int64_t> described = launched_by_events();
    std::unordered_map<uint64_t, int64_t> submitted;  // submitting call's correlation, by stage
    for (const auto& [event, stage] : submissions_) {
        const auto& calls = store_.rows.runtime_calls;
        const auto row = std::ranges::lower_bound(calls, event, {}, &FactRow<RuntimeFacts>::event);
        if (row != calls.end() && row->event == event)
            submitted.try_emplace(stage, row->correlation);
    }
    std::unordered_map<uint64_t, std::pair<LocalId, Nanos>> places;
    for (Stage& stage : stages_) {
        if (!stopped_) return;
        const auto call = submitted.find(stage.id);
        if (call != submitted.end() && !stage.arguments.has(ArgumentKey::correlation))
            stage.arguments.set_number(ArgumentKey::correlation, call->second);
        const int64_t correlation = stage.arguments.get(ArgumentKey::correlation);
        if (stage.is_work && correlation != kNoValue && described.contains(correlation)) {
            ++counts_.doubled;
            continue;
        }
        const auto gpu = static_cast<uint32_t>(std::max(stage.gpu, 0));
        const LocalId device = stage.pid > 0
                                   ? sink_.device(sink_.process(std::to_string(stage.pid)), gpu)
                                   : tracks_.device(gpu);
        const LocalId lane = sink_.stream(device, stage.queue);
        if (!stage.queue.empty() && named_queues_.insert(lane).second)
            sink_.name_lane(lane, sink_.text(stage.queue), stage.source);
        places.try_emplace(stage.id, lane, stage.time);
        const uint32_t added =
            sink_.slice(lane, stage.time, stage.duration, stage.name, stage.category, stage.source);
        if (!stage.is_work) continue;
        if (!stage.arguments.has(ArgumentKey::device))
            stage.arguments.set_number(ArgumentKey::device, gpu);
        add_kineto_rows(KinetoRows::gpu, added, stage.arguments, stage.name, sink_.names(),
                        sink_.rows());
    }
    write_waits(places);
}

// Adds waits of stages for other stages, such as nodes of a graph.
void PftraceReader::write_waits(
    const std::unordered_map<uint64_t, std::pair<LocalId, Nanos>>& places) {
    const LocalId category = sink_.category({"dependency", EventClass::other, 0});
    int64_t number = 0;
    for (const Stage& stage : stages_) {
        const auto to = places.find(stage.id);
        if (to == places.end()) continue;
        for (const uint64_t wait : stage.waits) {
            const auto from = places.find(wait);
            if (from == places.end() || !stopped_) continue;
            RawEvent raw;
            raw.category = category;
            raw.id = ++number;
            raw.flags = kHasTime | kHasId | kBindEnclosing;
            std::tie(raw.lane, raw.time) = from->second;
            raw.kind = EventKind::flow_begin;
            sink_.add(raw, stage.source);
            std::tie(raw.lane, raw.time) = to->second;
            raw.kind = EventKind::flow_end;
            sink_.add(raw, stage.source);
        }
    }
}

}  // namespace lanescope
