#include "core/analysis/gpu/gaps.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/longest_first.h"
#include "core/analysis/structure/recording_edges.h"
#include "core/analysis/structure/row_cursor.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

// Runtime calls of one kind by lane, sorted by start.
using CallsByLane = std::vector<std::vector<TimeRange>>;

Nanos common_length(TimeRange a, TimeRange b) {
    return std::max<Nanos>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

bool covers_half(TimeRange range, TimeRange gap) {
    return 2 * common_length(range, gap) >= gap.length();
}

class GapCauses {
  public:
    explicit GapCauses(const TraceContext& context)
        : trace_(context.trace()),
          attribution_(context.get<Attribution>()),
          overhead_(context.get<ProfilerOverhead>().times) {
        std::vector<CallsByLane*> waits(trace_.strings.size(), nullptr);  // by a call's name
        launches_graph_.resize(trace_.strings.size());
        for (StringId id = 0; id < trace_.strings.size(); ++id) {
            const std::string_view name = trace_.strings[id];
            if (traits_of_name(name) & kSyncCall) waits[id] = &synchronisations_;
            if (name.find("StreamWaitEvent") != std::string_view::npos) waits[id] = &event_waits_;
            launches_graph_[id] = name.find("GraphLaunch") != std::string_view::npos;
        }
        for (CallsByLane* const kind : {&synchronisations_, &event_waits_})
            kind->resize(trace_.lanes.size());
        for (const SliceRef call : trace_.runtime_calls.slice)
            if (CallsByLane* const kind = waits[trace_.name_id(call)])
                (*kind)[call.lane].push_back({trace_.start(call), trace_.slice_end(call)});
        for (CallsByLane* const kind : {&synchronisations_, &event_waits_})
            for (auto& lane : *kind) std::ranges::sort(lane, {}, &TimeRange::begin);
        note_device_waits();
    }

    // `whole`: the gap before clipping. `other_stream_ended`: work of another stream ended in it.
    GapCause cause_of(TimeRange whole, const IdleGap& gap, bool next_is_copy,
                      bool other_stream_ended) const {
        if (2 * covered_length(overhead_, whole) >= whole.length())
            return GapCause::profiler_overhead;
        if (!gap.launch) {
            const Intervals& waits = device_waits_[gap.process];
            return 2 * covered_length(waits, whole) >= whole.length() ? GapCause::dependency
                                                                      : GapCause::unknown;
        }
        const TimeRange launch{trace_.start(gap.launch), trace_.slice_end(gap.launch)};
        if (host_waited(whole, gap.launch.lane, launch.begin)) return GapCause::synchronisation;
        if (next_is_copy && covers_half(launch, whole)) return GapCause::copy;
        if (launch.begin > whole.begin) return GapCause::host;
        if (other_stream_ended && waited_for_event(attribution_.launch[gap.before], gap.launch))
            return GapCause::dependency;
        return launches_graph_[trace_.name_id(gap.launch)] ? GapCause::graph
                                                           : GapCause::launch_latency;
    }

  private:
    // The waits that devices record of themselves, by process; rows of synchronisations are waits
    // that calls of the host add.
    void note_device_waits() {
        std::vector<std::vector<TimeRange>> waits(trace_.processes.size());
        for (const Lane& lane : trace_.lanes) {
            if (lane.kind != LaneKind::thread || !trace_.processes[lane.process].is_gpu ||
                !trace_.synchronisations.slice.empty())
                continue;
            for (const auto& chunk : lane.chunks)
                for (uint32_t i = 0; i < chunk->size(); ++i)
                    if (trace_.event_class(chunk->name[i], chunk->category[i]) == EventClass::sync)
                        waits[lane.process].push_back({chunk->start[i], chunk->end(i)});
        }
        for (std::vector<TimeRange>& ranges : waits)
            device_waits_.push_back(merged(std::move(ranges)));
    }

    // Whether the host waited in a call that was still running when the gap began, or began later,
    // and that ended before the launch. It must have taken at least half as long as the gap:
    // otherwise most of the gap would also exist without it.
    bool host_waited(TimeRange gap, LaneId lane, Nanos launch) const {
        const auto& calls = synchronisations_[lane];
        const auto after = std::ranges::lower_bound(calls, launch, {}, &TimeRange::begin);
        if (after == calls.begin()) return false;
        const TimeRange call = *(after - 1);
        return call.overlaps(gap) && call.end <= launch && 2 * call.length() >= gap.length();
    }

    // On the thread of either launch, from the earlier one (or the begin of the file) to the later.
    bool waited_for_event(SliceRef previous, SliceRef next) const {
        const Nanos begin = previous ? trace_.start(previous) : std::numeric_limits<Nanos>::min();
        const TimeRange between{begin, trace_.start(next)};
        return waited_for_event(next.lane, between) ||
               (previous && previous.lane != next.lane && waited_for_event(previous.lane, between));
    }

    bool waited_for_event(LaneId lane, TimeRange between) const {
        const auto& calls = event_waits_[lane];
        const auto found = std::ranges::lower_bound(calls, between.begin, {}, &TimeRange::begin);
        return found != calls.end() && found->begin < between.end;
    }

    const Trace& trace_;
    const Attribution& attribution_;
    const Intervals& overhead_;
    CallsByLane synchronisations_;
    CallsByLane event_waits_;
    std::vector<Intervals> device_waits_;  // by process
    std::vector<bool> launches_graph_;     // by StringId of the call's name
};

// A call that covers half of the gap includes its middle. Partly overlapping calls may leave empty
// rows between an outer call and an inner one. `nested`: there are none.
SliceRef call_during(const Trace& trace, TimeRange gap, LaneId lane, bool nested,
                     RowCursor& calls) {
    const int most_empty_rows = nested ? 0 : 64;
    SliceRef innermost;
    int empty_rows = 0;
    for (uint32_t depth = 0; depth < trace.lanes[lane].depth_count; ++depth) {
        const RowCursor::Found call = calls.find(depth, gap.begin + gap.length() / 2);
        if (!call.slice || !covers_half(call.range, gap)) {
            if (++empty_rows > most_empty_rows) break;
            continue;
        }
        empty_rows = 0;
        innermost = call.slice;
    }
    return innermost;
}

class GapFinder {
  public:
    GapFinder(const TraceContext& context, const TableQuery& query)
        : trace_(context.trace()),
          attribution_(context.get<Attribution>()),
          trees_(context.get<CallTrees>().by_lane),
          query_(query),
          causes_(context),
          found_(trace_.gpu_activities.slice.size()) {
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane) calls_.emplace_back(trace_, lane);
        // Before each activity, one gap of its stream and one of the device.
        gaps_.reserve(2 * found_.size());
    }

    // `gap`: identifies the stream or device. `ends`: ends of the device's work in ascending order,
    // if needed. `edge`: the device's recording edge.
    void add(IdleGap gap, std::span<const GpuWork> work, std::span<const Nanos> ends,
             const std::optional<RecordingEdge>& edge) {
        if (work.empty()) return;
        Nanos end = work.front().range.end;
        next_end_ = 0;
        edge_ = edge ? edge->range : TimeRange();
        gap.before = work.front().row;
        for (const GpuWork& next : work) {
            if (next.range.begin > end) {
                gap.after = next.row;
                finish(gap, {end, next.range.begin}, next.kind == WorkKind::copy, ends);
            }
            if (next.range.end < end) continue;
            end = next.range.end;
            gap.before = next.row;
        }
    }

    Column<IdleGap> take() {
        std::vector<uint32_t> order =
            longest_first(gaps_, [](const IdleGap&, const IdleGap&) { return false; });
        // Moved in place, because the memory of a copy would take longer than sorting.
        for (uint32_t i = 0; i < order.size(); ++i) {
            const IdleGap first = gaps_[i];
            uint32_t to = i;
            while (order[to] != i) {
                const uint32_t from = order[to];
                gaps_[to] = gaps_[from];
                order[to] = to;
                to = from;
            }
            gaps_[to] = first;
            order[to] = to;
        }
        gaps_.shrink_to_fit();
        return std::move(gaps_);
    }

  private:
    void finish(IdleGap gap, TimeRange whole, bool next_is_copy, std::span<const Nanos> ends) {
        gap.range = whole;
        if (const auto range = query_.device_range())
            gap.range = {std::max(whole.begin, range->begin), std::min(whole.end, range->end)};
        if (gap.range.begin >= gap.range.end) return;
        gap.launch = attribution_.launch[gap.after];
        if (gap.launch) gap.host_call = host_call(whole, gap.after, gap.launch.lane);
        while (next_end_ < ends.size() && ends[next_end_] <= whole.begin) ++next_end_;
        const bool other_ended = next_end_ < ends.size() && ends[next_end_] <= whole.end;
        gap.cause = covers_half(edge_, whole)
                        ? GapCause::recording
                        : causes_.cause_of(whole, gap, next_is_copy, other_ended);
        gaps_.push_back(gap);
    }

    // Most gaps of a device are also gaps of its only busy stream.
    SliceRef host_call(TimeRange whole, uint32_t after, LaneId lane) {
        Found& known = found_[after];
        if (known.whole != whole)
            known = {whole, call_during(trace_, whole, lane, trees_[lane].nested, calls_[lane])};
        return known.host_call;
    }

    // The result for the last gap before an activity.
    struct Found {
        TimeRange whole;
        SliceRef host_call;
    };

    const Trace& trace_;
    const Attribution& attribution_;
    std::span<const CallTree> trees_;
    const TableQuery& query_;
    GapCauses causes_;
    TimeRange edge_;                // RecordingEdge::range of the device, or empty
    std::size_t next_end_ = 0;      // first of the ends after the last gap's begin
    std::vector<Found> found_;      // by row of Trace::gpu_activities
    std::vector<RowCursor> calls_;  // by lane
    Column<IdleGap> gaps_;
};

}  // namespace

std::string_view gap_cause_name(GapCause cause) {
    constexpr std::array<std::string_view, 9> names = {
        "",      "profiler overhead", "synchronisation", "copy", "host", "dependency",
        "graph", "launch latency",    "recording edge"};
    return names[static_cast<std::size_t>(cause)];
}

bool is_overhead(const Trace& trace, const IdleGap& gap) {
    switch (gap.cause) {
        case GapCause::host:
        case GapCause::launch_latency:
        case GapCause::synchronisation:
            return true;
        case GapCause::copy:
            return trace.name(trace.gpu_activities.slice[gap.after]).find("Pageable") !=
                   std::string_view::npos;
        default:
            return false;
    }
}

Column<IdleGap> idle_gaps(const TraceContext& context, const TableQuery& query) {
    GapFinder finder(context, query);
    const std::vector<GpuDevice>& devices = context.get<GpuDevices>().all;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const GpuDevice& device = devices[i];
        const auto& edge = context.get<RecordingEdges>().of_device[i];
        IdleGap gap;
        gap.process = device.process;
        gap.device = device.device;
        std::vector<Nanos> ends;
        for (const GpuWork& work : device.work) ends.push_back(work.range.end);
        radix_sort(ends, radix_key);
        for (const GpuStream& stream : device.streams) {
            gap.stream = stream.stream;
            finder.add(gap, stream.work, ends, edge);
        }
        gap.stream = -1;
        gap.of_device = true;
        finder.add(gap, device.work, {}, edge);
    }
    return finder.take();
}

AllIdleGaps AllIdleGaps::compute(const TraceContext& context) {
    return {idle_gaps(context, {})};
}

}  // namespace lanescope
