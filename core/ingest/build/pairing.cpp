// Pairs begin and end events with a stack for each row, and async events by (category, id).
#include <algorithm>
#include <map>
#include <tuple>

#include "core/ingest/build/finish_trace.h"

namespace lanescope {

namespace {

void add_slice(BuilderState& state, uint32_t row, Nanos start, Nanos duration, StringId name,
               CategoryId category, uint64_t source) {
    LaneBuild& lane = state.lanes[row];
    lane.classes |= bit_of(state.categories[category].event_class);
    lane.slices.start.push_back(start);
    lane.slices.duration.push_back(duration);
    lane.slices.name.push_back(name);
    lane.slices.category.push_back(category);
    lane.slices.source.push_back(source);
}

// The distance between two events may exceed the range of a duration.
Nanos duration_between(Nanos start, Nanos end) {
    return std::clamp<Nanos>(end - start, 0, INT64_MAX / 4);
}

}  // namespace

void pair_events(BuilderState& state) {
    Column<PairEvent> events = std::move(state.pairs);
    state.pairs = {};
    // The sort is stable: events of equal time keep their order in the file.
    std::stable_sort(events.data(), events.data() + events.size(),
                     [](const PairEvent& a, const PairEvent& b) {
                         return std::tie(a.lane, a.time) < std::tie(b.lane, b.time);
                     });
    std::vector<const PairEvent*> open;
    const auto close_all = [&] {
        for (const PairEvent* begin : open) {
            state.warn("unclosed_begin", begin->source,
                       "a begin without an end; drawn to the end of the trace");
            add_slice(state, begin->lane, begin->time,
                      duration_between(begin->time, state.last_time), begin->name, begin->category,
                      begin->source);
        }
        open.clear();
    };
    for (const PairEvent& event : events) {
        if (!open.empty() && open.back()->lane != event.lane) close_all();
        state.lanes[event.lane].has_pairs = true;
        if (event.kind == EventKind::begin) {
            open.push_back(&event);
        } else if (open.empty()) {
            state.warn("unopened_end", event.source, "an end without a begin; shown as an instant");
            state.lanes[event.lane].add_instant(event.time, event.name, event.category,
                                                event.source);
        } else {
            const PairEvent& begin = *open.back();
            add_slice(state, begin.lane, begin.time, duration_between(begin.time, event.time),
                      begin.name, begin.category, begin.source);
            open.pop_back();
        }
    }
    close_all();
}

namespace {

// Async events are paired by category and id; an id2.local is unique only within its process.
using AsyncKey = std::tuple<bool /*not by name*/, CategoryId, int /*form of the id*/, int64_t,
                            uint32_t /*process*/, StringId /*name, if that counts*/>;

AsyncKey key_of(const BuilderState& state, const AsyncEvent& event) {
    const bool by_name = event.flags & kPairsByName;
    const uint32_t process = event.flags & kIdIsLocal ? state.lanes[event.lane].process : kNoRow;
    return {!by_name, event.category, event.flags & kIdForm,
            event.id, process,        by_name ? event.name : 0};
}

// One lane for each process, category and name of the outermost range; nest() places overlapping
// ranges below.
class AsyncLanes {
  public:
    explicit AsyncLanes(BuilderState& state) : state_(state) {}

    uint32_t lane(const AsyncEvent& outermost) {
        const uint32_t process = state_.lanes[outermost.lane].process;
        const auto [found, is_new] =
            state_.async_lanes.try_emplace({process, outermost.category, outermost.name},
                                           static_cast<uint32_t>(state_.lanes.size()));
        if (is_new) {
            LaneBuild& made = state_.lanes.emplace_back();
            made.kind = LaneKind::async;
            made.process = process;
            made.tid = state_.categories[outermost.category].name;
            made.name = outermost.name;
        }
        return found->second;
    }

  private:
    BuilderState& state_;
};

}  // namespace

void pair_async_events(BuilderState& state) {
    Column<AsyncEvent> events = std::move(state.asyncs);
    state.asyncs = {};
    const auto earlier = [](const AsyncEvent& a, const AsyncEvent& b) { return a.time < b.time; };
    if (!std::is_sorted(events.begin(), events.end(), earlier))
        std::stable_sort(events.data(), events.data() + events.size(), earlier);
    struct Track {
        std::vector<const AsyncEvent*> open;
        uint32_t lane = WorkerNames::unknown;
    };
    std::map<AsyncKey, Track> tracks;  // those with an open range, which are few at any time
    AsyncLanes lanes(state);
    const auto close = [&](Track& track, Nanos end) {
        const AsyncEvent& begin = *track.open.back();
        add_slice(state, track.lane, begin.time, duration_between(begin.time, end), begin.name,
                  begin.category, begin.source);
        track.open.pop_back();
    };
    for (const AsyncEvent& event : events) {
        const auto here = tracks.try_emplace(key_of(state, event)).first;
        Track& track = here->second;
        const bool begins = event.kind == EventKind::async_begin;
        const bool ends = event.kind == EventKind::async_end;
        if (track.open.empty()) track.lane = lanes.lane(event);
        if (begins) {
            track.open.push_back(&event);
        } else if (ends && !track.open.empty()) {
            close(track, event.time);
        } else {
            if (ends)
                state.warn("unopened_async_end", event.source,
                           "the end of an async range that never began; shown as an instant");
            state.lanes[track.lane].add_instant(event.time, event.name, event.category,
                                                event.source);
        }
        if (track.open.empty()) tracks.erase(here);
    }
    for (auto& [key, track] : tracks) {
        while (!track.open.empty()) {
            state.warn("unclosed_async", track.open.back()->source,
                       "an async range without an end; drawn to the end of the trace");
            close(track, state.last_time);
        }
    }
}

}  // namespace lanescope
