#include "core/analysis/structure/attribution.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/context.h"
#include "core/analysis/structure/lane_view.h"
#include "core/base/id_map.h"
#include "core/trace/replay_link.h"

namespace lanescope {

namespace {

bool is_operator(const Trace& trace, CategoryId category) {
    return trace.categories[category].event_class == EventClass::op;
}

bool is_operator(const Trace& trace, SliceRef slice) {
    return is_operator(trace, LaneView(trace.lanes[slice.lane]).category(slice.index));
}

// For every slice of a lane: the slice itself if it is an operator, else its innermost enclosing
// operator.
Column<uint32_t> innermost_operators(const Trace& trace, LaneId lane, const CallTree& tree) {
    const LaneView view(trace.lanes[lane]);
    Column<uint32_t> innermost = Column<uint32_t>::filled(tree.parent.size(), CallTree::none);
    for (uint32_t i = 0; i < innermost.size(); ++i) {
        if (is_operator(trace, view.category(i)))
            innermost[i] = i;
        else if (tree.parent[i] != CallTree::none)
            innermost[i] = innermost[tree.parent[i]];
    }
    return innermost;
}

// CPU events by External id. In files that join several processes, an id may occur once in each
// process.
class EventsById {
  public:
    explicit EventsById(const Trace& trace) : trace_(&trace) {
        const Operators& ops = trace.operators;
        if (ops.external_id.empty()) return;
        next_ = Column<uint32_t>::filled(ops.slice.size(), kNoRow);
        first_ = IdMap<uint32_t>(ops.external_id, kNoRow);
        for (uint32_t row = static_cast<uint32_t>(ops.slice.size()); row-- > 0;) {
            const int64_t id = ops.external_id[row];
            if (id <= 0) continue;  // includes kNoValue
            uint32_t& head = first_.at(id);
            next_[row] = head;
            head = row;
        }
    }

    // If several processes have the id, returns the event in the launch's process.
    SliceRef find(int64_t id, SliceRef launch) const {
        const uint32_t first = next_.empty() ? kNoRow : first_.find(id);
        if (first == kNoRow) return {};
        const Operators& ops = trace_->operators;
        if (launch) {
            const uint32_t process = trace_->lanes[launch.lane].process;
            for (uint32_t row = first; row != kNoRow; row = next_[row])
                if (trace_->lanes[ops.slice[row].lane].process == process) return ops.slice[row];
        }
        return ops.slice[first];
    }

  private:
    const Trace* trace_;
    IdMap<uint32_t> first_;
    Column<uint32_t> next_;
};

// The row of a slice in a sorted column; the search begins after the last result.
class NextRow {
  public:
    explicit NextRow(std::span<const SliceRef> slices) : slices_(slices) {}

    uint32_t find(SliceRef slice) {
        if (next_ >= slices_.size() || slices_[next_] != slice) {
            const uint32_t row = find_row(slices_, slice);
            if (row == kNoRow) return kNoRow;
            next_ = row;
        }
        return next_++;
    }

  private:
    std::span<const SliceRef> slices_;
    uint32_t next_ = 0;
};

// Links are sorted by (launch, activity), and so are the rows of `by_launch`.
void add_launches(const Trace& trace, Attribution& a) {
    a.launch.resize(trace.gpu_activities.slice.size());
    a.by_launch.reserve(a.launch.size());
    std::vector<NextRow> of_lane(trace.lanes.size(), NextRow(trace.gpu_activities.slice));
    for (const Link& link : trace.links) {
        if (link.kind != LinkKind::launch) continue;
        const uint32_t row = of_lane[link.to.lane].find(link.to);
        if (row == kNoRow || a.launch[row]) continue;
        a.launch[row] = link.from;
        a.by_launch.push_back(row);
    }
}

void add_captured(const Trace& trace, Attribution& a) {
    const GpuActivities& gpu = trace.gpu_activities;
    if (gpu.captured_call.empty()) return;
    std::map<std::pair<uint32_t, StringId>, LaneId> lanes;  // by process and stream
    for (LaneId id = 0; id < trace.lanes.size(); ++id)
        if (const Lane& lane = trace.lanes[id]; lane.kind == LaneKind::replay)
            lanes.try_emplace({lane.process, lane.tid}, id);
    a.captured.resize(gpu.rows());
    for (uint32_t row = 0; row < gpu.rows(); ++row) {
        if (gpu.captured_call[row] == kNoValue) continue;
        const Lane& stream = trace.lanes[gpu.slice[row].lane];
        const auto above = lanes.find({stream.process, stream.tid});
        if (above != lanes.end())
            a.captured[row] = {above->second, static_cast<uint32_t>(gpu.captured_call[row])};
    }
}

Unattributed reason_of(const Trace& trace, const Attribution& a, uint32_t row) {
    if (a.op[row]) return Unattributed::attributed;
    const auto& replayed = trace.gpu_activities.replay_link;
    if (!replayed.empty() && replayed[row] == static_cast<int64_t>(ReplayLink::none))
        return Unattributed::no_capture;
    if (a.launch[row]) return Unattributed::outside_operator;
    const auto& correlation = trace.gpu_activities.correlation;
    return correlation.empty() || correlation[row] == kNoValue ? Unattributed::no_correlation
                                                               : Unattributed::no_launch;
}

}  // namespace

std::string_view unattributed_reason(Unattributed reason) {
    switch (reason) {
        case Unattributed::attributed:
            return "";
        case Unattributed::no_correlation:
            return "the file has no correlation id for it";
        case Unattributed::no_launch:
            return "its launch call is not in the file";
        case Unattributed::outside_operator:
            return "its launch call is not inside an operator";
        case Unattributed::no_capture:
            return "a graph replay launched it, and no capture of the graph is known";
    }
    return "";
}

Attribution attribute(const Trace& trace, std::span<const CallTree> trees) {
    const GpuActivities& gpu = trace.gpu_activities;
    const auto count = static_cast<uint32_t>(gpu.slice.size());
    Attribution a;
    add_launches(trace, a);
    add_captured(trace, a);
    a.op.resize(count);
    a.op_of_id.resize(count);
    a.reason.resize(count);
    const EventsById events(trace);
    std::vector<Column<uint32_t>> innermost(trace.lanes.size());
    for (uint32_t row = 0; row < count; ++row) {
        const SliceRef launch = a.launch[row];
        if (!gpu.external_id.empty() && gpu.external_id[row] != kNoValue)
            a.op_of_id[row] = events.find(gpu.external_id[row], launch);
        for (const SliceRef call : {a.captured.empty() ? SliceRef() : a.captured[row], launch}) {
            if (a.op[row] || !call || trees[call.lane].parent.empty()) continue;
            auto& operators = innermost[call.lane];
            if (operators.empty())
                operators = innermost_operators(trace, call.lane, trees[call.lane]);
            if (operators[call.index] != CallTree::none)
                a.op[row] = {call.lane, operators[call.index]};
        }
        const SliceRef named = a.op_of_id[row];
        if (!a.op[row] && named && is_operator(trace, named)) a.op[row] = named;
        a.reason[row] = reason_of(trace, a, row);
    }
    return a;
}

std::span<const uint32_t> Attribution::launched_by(SliceRef call) const {
    const auto begin = std::partition_point(by_launch.begin(), by_launch.end(),
                                            [&](uint32_t row) { return launch[row] < call; });
    const auto end = std::partition_point(begin, by_launch.end(),
                                          [&](uint32_t row) { return launch[row] == call; });
    return {begin, end};
}

std::string_view attributed_by(const Trace& trace, const Attribution& attribution, uint32_t row) {
    const SliceRef op = attribution.op[row];
    if (!op) return {};
    if (trace.lanes[op.lane].kind == LaneKind::replay)
        return replay_link_name(static_cast<ReplayLink>(trace.gpu_activities.replay_link[row]));
    const SliceRef launch = attribution.launch[row];
    const bool around = launch && launch.lane == op.lane &&
                        trace.start(op) <= trace.start(launch) &&
                        trace.start(launch) <= trace.slice_end(op);
    return around ? "launch" : "external id";
}

std::vector<SliceRef> calls_to(const Attribution& attribution, std::span<const CallTree> trees,
                               uint32_t row) {
    std::vector<SliceRef> calls;
    const SliceRef captured = attribution.captured.empty() ? SliceRef() : attribution.captured[row];
    for (const SliceRef call : {captured, attribution.launch[row]}) {
        if (!call) continue;
        calls.push_back(call);
        const std::vector<SliceRef> around = enclosing(trees, call);
        calls.insert(calls.end(), around.begin(), around.end());
    }
    return calls;
}

std::vector<SliceRef> enclosing(std::span<const CallTree> trees, SliceRef slice) {
    std::vector<SliceRef> calls;
    if (slice.lane >= trees.size() || slice.index >= trees[slice.lane].parent.size()) return calls;
    const auto& parent = trees[slice.lane].parent;
    for (uint32_t i = parent[slice.index]; i != CallTree::none; i = parent[i])
        calls.push_back({slice.lane, i});
    return calls;
}

Attribution Attribution::compute(const TraceContext& context) {
    return attribute(context.trace(), context.get<CallTrees>().by_lane);
}

}  // namespace lanescope
