#include "core/analysis/critical_path/dependency_streams.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/analysis/gpu/synchronisations.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/trace/call_key.h"

namespace lanescope {

namespace {

PathPart part_of(WorkKind kind) {
    switch (kind) {
        case WorkKind::compute:
            return PathPart::kernel;
        case WorkKind::communication:
            return PathPart::communication;
        default:
            return PathPart::copy;
    }
}

// The waits that cudaStreamWaitEvent added to each stream, from cuda_sync events.
class StreamWaits {
  public:
    explicit StreamWaits(const TraceContext& context) : trace_(context.trace()) {
        const Synchronisations& syncs = trace_.synchronisations;
        if (syncs.slice.empty() || syncs.wait_on_event_correlation.empty()) return;
        note_launches(context);
        const RuntimeCalls& calls = trace_.runtime_calls;
        for (uint32_t row = 0; row < calls.correlation.size(); ++row)
            if (calls.correlation[row] != kNoValue)
                call_of_.try_emplace(
                    key_of_call(trace_, calls.slice[row].lane, calls.correlation[row]),
                    calls.slice[row]);
        for (uint32_t row = 0; row < syncs.slice.size(); ++row) add(row);
    }

    // Rows of Trace::gpu_activities that an activity waits for.
    const std::vector<uint32_t>* sources_of(uint32_t row) const {
        const auto found = waits_.find(row);
        return found == waits_.end() ? nullptr : &found->second;
    }
    // The last activity before the recording of the event that a call waits for; kNoRow: unknown.
    uint32_t before_event(uint32_t sync) const {
        const Synchronisations& syncs = trace_.synchronisations;
        if (syncs.wait_on_event_correlation.empty() || syncs.wait_on_stream.empty()) return kNoRow;
        const auto record = call_of_.find(
            key_of_work(trace_, syncs.slice[sync].lane, syncs.wait_on_event_correlation[sync]));
        if (record == call_of_.end()) return kNoRow;
        const auto stream = launches_.find(syncs.wait_on_stream[sync]);
        if (stream == launches_.end()) return kNoRow;
        const auto after = std::ranges::lower_bound(stream->second, trace_.start(record->second),
                                                    {}, [](const Launched& l) { return l.at; });
        return after == stream->second.begin() ? kNoRow : (after - 1)->row;
    }

  private:
    struct Launched {
        Nanos at = 0;  // begin of the call
        LaneId thread = 0;
        uint32_t row = 0;
    };

    void note_launches(const TraceContext& context) {
        const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
        for (const GpuDevice& device : context.get<GpuDevices>().all) {
            for (const GpuStream& stream : device.streams) {
                std::vector<Launched>& launches = launches_[stream.stream];
                for (const GpuWork& work : stream.work)
                    if (const SliceRef call = launch_of[work.row])
                        launches.push_back({trace_.start(call), call.lane, work.row});
            }
        }
        for (auto& [stream, launches] : launches_)
            std::ranges::stable_sort(launches, {}, [](const Launched& l) { return l.at; });
    }

    void add(uint32_t sync) {
        const Synchronisations& syncs = trace_.synchronisations;
        if (syncs.kind.empty() || trace_.strings[syncs.kind[sync]] != "Stream Wait Event") return;
        const uint32_t source = before_event(sync);
        if (source == kNoRow || syncs.correlation.empty() || syncs.stream.empty()) return;
        const auto call =
            call_of_.find(key_of_work(trace_, syncs.slice[sync].lane, syncs.correlation[sync]));
        const auto stream = launches_.find(syncs.stream[sync]);
        if (call == call_of_.end() || stream == launches_.end()) return;
        const std::vector<Launched>& launches = stream->second;
        auto next = std::ranges::lower_bound(launches, trace_.start(call->second), {},
                                             [](const Launched& l) { return l.at; });
        while (next != launches.end() && next->thread != call->second.lane) ++next;
        if (next != launches.end()) waits_[next->row].push_back(source);
    }

    const Trace& trace_;
    std::map<int64_t, std::vector<Launched>> launches_;  // by stream, sorted by call
    std::unordered_map<CallKey, SliceRef, CallKeyHash> call_of_;
    std::unordered_map<uint32_t, std::vector<uint32_t>> waits_;
};

// Collects the dependencies of an activity's begin. The latest one binds; among equals, the first
// one added.
class BeginOf {
  public:
    BeginOf(DependencyGraph& graph, std::vector<LooseDependency>& loose, uint32_t node)
        : graph_(graph), loose_(loose), first_(loose.size()), node_(node) {}

    void wait_for(uint32_t from, PathPart part) {
        const Nanos wait = graph_.time[node_] - graph_.time[from];
        if (wait < 0) return;
        if (loose_.size() == first_ || wait < shortest_wait_) {
            shortest_wait_ = wait;
            part_ = part;
            binding_ = loose_.size();
        }
        loose_.push_back({node_, {from, part, 0}});
    }

    // The binding dependency gets its actual latency, the others the shortest latency seen.
    void finish() {
        if (loose_.size() == first_) return;
        loose_[binding_].dependency.weight = shortest_wait_;
        std::swap(loose_[first_], loose_[binding_]);
        if (part_ == PathPart::launch)
            graph_.shortest_launch = std::min(graph_.shortest_launch, shortest_wait_);
        if (part_ == PathPart::gap)
            graph_.shortest_gap = std::min(graph_.shortest_gap, shortest_wait_);
    }

  private:
    DependencyGraph& graph_;
    std::vector<LooseDependency>& loose_;
    std::size_t first_;
    uint32_t node_;
    Nanos shortest_wait_ = 0;
    std::size_t binding_ = 0;
    PathPart part_ = PathPart::unknown;
};

void add_stream_nodes(const GpuStream& stream, DependencyGraph& graph) {
    const auto begin = static_cast<uint32_t>(graph.time.size());
    for (const GpuWork& work : stream.work) {
        graph.activity[work.row] = static_cast<uint32_t>(graph.time.size());
        graph.time.push_back(work.range.begin);
        graph.slice.push_back(work.row);
        graph.part.push_back(static_cast<uint8_t>(PathPart::unknown));
        graph.time.push_back(work.range.end);
        graph.slice.push_back(work.row);
        graph.part.push_back(static_cast<uint8_t>(part_of(work.kind)));
    }
    graph.rows.push_back(
        {.begin = begin, .end = static_cast<uint32_t>(graph.time.size()), .is_stream = true});
}

bool ends(const DependencyGraph& graph, uint32_t node) {
    return static_cast<PathPart>(graph.part[node]) != PathPart::unknown;
}

// The last activity of a stream that had ended at `t`; DependencyGraph::none: none.
uint32_t last_ended(const DependencyGraph& graph, const GpuStream& stream, Nanos t) {
    auto after = std::ranges::upper_bound(stream.work, t, {},
                                          [](const GpuWork& work) { return work.range.begin; });
    while (after != stream.work.begin()) {
        --after;
        if (after->range.end <= t) return graph.activity[after->row] + 1;
    }
    return DependencyGraph::none;
}

const GpuDevice* device_of(const TraceContext& context, const DependencyGraph& graph,
                           uint32_t row) {
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        for (const GpuStream& stream : device.streams)
            if (!stream.work.empty() &&
                graph.activity[stream.work.front().row] <= graph.activity[row] &&
                graph.activity[row] <= graph.activity[stream.work.back().row])
                return &device;
    return nullptr;
}

}  // namespace

void add_streams(const TraceContext& context, DependencyGraph& graph,
                 std::vector<LooseDependency>& loose) {
    graph.activity.assign(context.trace().gpu_activities.slice.size(), DependencyGraph::none);
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        for (const GpuStream& stream : device.streams) add_stream_nodes(stream, graph);
    const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
    const StreamWaits waits(context);
    graph.shortest_launch = graph.shortest_gap = std::numeric_limits<Nanos>::max();
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        for (const GpuStream& stream : device.streams) {
            uint32_t before = DependencyGraph::none;
            for (const GpuWork& work : stream.work) {
                const uint32_t node = graph.activity[work.row];
                BeginOf begin(graph, loose, node);
                if (const std::vector<uint32_t>* sources = waits.sources_of(work.row))
                    for (const uint32_t source : *sources)
                        if (source != work.row)
                            begin.wait_for(graph.activity[source] + 1, PathPart::synchronisation);
                // If it runs concurrently with its predecessor, it still began after it.
                if (before != DependencyGraph::none)
                    begin.wait_for(graph.time[before + 1] <= graph.time[node] ? before + 1 : before,
                                   PathPart::gap);
                const SliceRef call = launch_of[work.row];
                if (call && graph.begin_of(call) != DependencyGraph::none)
                    begin.wait_for(graph.begin_of(call), PathPart::launch);
                begin.finish();
                before = node;
            }
        }
    }
    constexpr Nanos kNever = std::numeric_limits<Nanos>::max();
    if (graph.shortest_launch == kNever) graph.shortest_launch = 0;
    if (graph.shortest_gap == kNever) graph.shortest_gap = 0;
    for (LooseDependency& one : loose) {
        const bool launch = one.dependency.part == PathPart::launch;
        const bool gap = one.dependency.part == PathPart::gap && ends(graph, one.dependency.from);
        if (!launch && !gap) continue;
        const Nanos shortest = launch ? graph.shortest_launch : graph.shortest_gap;
        const Nanos wait = graph.time[one.to] - graph.time[one.dependency.from];
        one.dependency.weight = std::max(one.dependency.weight, std::min(shortest, wait));
    }
}

void add_waits(const TraceContext& context, DependencyGraph& graph,
               std::vector<LooseDependency>& loose) {
    for (const Synchronisation& sync : context.get<AllSynchronisations>().rows) {
        if (sync.waited <= 0 || sync.waited_for == kNoRow) continue;
        const uint32_t end = graph.end_of(sync.call);
        if (end == DependencyGraph::none) continue;
        const uint32_t source = graph.activity[sync.waited_for] + 1;
        const Nanos rest = graph.time[end] - graph.time[source];
        if (rest < 0) continue;  // the call returned before its copy ended
        loose.push_back({end, {source, PathPart::synchronisation, rest}});
        // The call's time besides waiting is also needed without a wait.
        const Nanos own = std::min(rest, graph.time[end] - graph.time[end - 1]);
        loose.push_back({end, {end - 1, PathPart::call, own}});
        if (sync.is_copy || sync.stream >= 0) continue;
        const GpuDevice* const device = device_of(context, graph, sync.waited_for);
        if (!device) continue;
        for (const GpuStream& stream : device->streams) {
            const uint32_t last = last_ended(graph, stream, graph.time[source]);
            if (last != DependencyGraph::none && last != source)
                loose.push_back({end, {last, PathPart::synchronisation, rest}});
        }
    }
}

}  // namespace lanescope
