// Links: launch calls to GPU activities by correlation, and the file's own flows by (category, id).
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "core/base/radix_sort.h"
#include "core/ingest/build/calls_by_correlation.h"
#include "core/ingest/build/finish_trace.h"
#include "core/ingest/build/launch_owners.h"
#include "core/trace/query.h"
#include "core/trace/synchronising_call.h"

namespace lanescope {

namespace {

// Visits rows block by block, each block by ascending correlation. Searches for scattered
// correlations then move through memory in one direction, and a block fits in a cache.
class SortedBlocks {
  public:
    explicit SortedBlocks(const Column<int64_t>& correlation) : correlation_(correlation) {}

    template <typename Visit>
    void visit(const Visit& visit) {
        const auto rows = static_cast<uint32_t>(correlation_.size());
        for (uint32_t begin = 0; begin < rows; begin += kRows) {
            block_.clear();
            for (uint32_t row = begin; row < std::min(rows, begin + kRows); ++row)
                if (correlation_[row] != kNoValue)
                    block_.push_back({radix_key(correlation_[row]), row});
            radix_sort(block_, [](const Row& row) { return row.key; });
            for (const Row& row : block_) visit(row.number);
        }
    }

  private:
    static constexpr uint32_t kRows = 1U << 16;
    struct Row {
        uint64_t key;
        uint32_t number;
    };
    const Column<int64_t>& correlation_;
    std::vector<Row> block_;
};

// A device that only has waits belongs to the process that makes the calls, if there is one.
void own_devices_without_work(const BuilderState& state, const std::vector<LaneId>& final_lane,
                              Trace& trace) {
    std::set<uint32_t> callers;
    for (const SliceRef call : trace.runtime_calls.slice)
        callers.insert(trace.lanes[call.lane].process);
    if (callers.size() != 1) return;
    for (std::size_t i = 0; i < state.lanes.size(); ++i) {
        const bool waits = (state.lanes[i].classes & bit_of(EventClass::sync)) != 0;
        if (!waits || final_lane[i] == SliceRef::no_index) continue;
        const uint32_t number = trace.lanes[final_lane[i]].process;
        if (!callers.contains(number) && trace.processes[number].owner == kNoRow)
            trace.processes[number].owner = *callers.begin();
    }
}

// Sorts launch links by call with a counting sort. Activities are already sorted by target.
void add_launches(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace,
                  CallsByCorrelation& calls) {
    const GpuActivities& gpu = trace.gpu_activities;
    const LaunchOwners owners(trace, calls);
    own_devices_without_work(state, final_lane, trace);
    Column<uint32_t> call_of(gpu.slice.size());
    std::vector<uint32_t> begin(trace.runtime_calls.slice.size() + 1);
    std::fill(call_of.data(), call_of.data() + call_of.size(), kNoRow);
    SortedBlocks(gpu.correlation).visit([&](uint32_t i) {
        const CallsByCorrelation::Run run = calls.find(gpu.correlation[i]);
        if (run.empty()) return;
        call_of[i] = owners.launch_of(i, run);
        if (call_of[i] == kNoRow) {
            if (owners.is_stated(i)) return;  // its launch is not in the file
            const auto [chunk, at] = trace.lanes[gpu.slice[i].lane].locate(gpu.slice[i].index);
            state.warn("ambiguous_launch", chunk->source[at],
                       "GPU work whose correlation several processes have, and the file does not "
                       "say which of them launched it; it has no launch");
            return;
        }
        ++begin[call_of[i] + 1];
        if (calls.has_launch(run)) ++trace.facts.gpu_activities_with_launch;
    });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    trace.links.resize(begin.back());
    for (uint32_t i = 0; i < gpu.slice.size(); ++i) {
        if (call_of[i] == kNoRow) continue;
        const uint32_t place = begin[call_of[i]]++;
        trace.links[place] = {trace.runtime_calls.slice[call_of[i]], gpu.slice[i],
                              LinkKind::launch};
        trace.links_by_target.push_back(place);
    }
}

// The innermost slice of a lane at `t`. If there is none and `may_be_next` is set, the next slice
// that begins.
SliceRef slice_for_flow(const Trace& trace, LaneId lane, Nanos t, bool may_be_next) {
    SliceRef found;
    for (uint32_t depth = 0; depth < trace.lanes[lane].depth_count; ++depth) {
        const SliceRef slice = slice_at(trace, lane, depth, t);
        if (slice) found = slice;
    }
    if (found || !may_be_next) return found;
    for (const auto& chunk : trace.lanes[lane].chunks) {
        const DepthRow& row = chunk->rows[0];
        const auto* next =
            std::lower_bound(chunk->start.begin() + row.begin, chunk->start.begin() + row.end, t);
        if (next != chunk->start.begin() + row.end)
            return {lane, chunk->first + static_cast<uint32_t>(next - chunk->start.begin())};
    }
    return {};
}

// Returns the flows that do not merely repeat correlations, and frees the others. JsonScanner has
// already dropped some flows that repeat correlations, by the same rule.
std::vector<FlowEvent> take_own_flows(BuilderState& state, const Trace& trace,
                                      CallsByCorrelation& calls) {
    const auto launches = [&](const CallsByCorrelation::Call& call) {
        return !may_lead_to_synchronisation(trace.name(trace.runtime_calls.slice[call.row]));
    };
    std::vector<FlowEvent> own;
    for (const FlowEvent& flow : state.flows) {
        const bool said = state.categories[flow.category].is(kRepeatsLaunch) &&
                          !(flow.flags & kIdForm) &&
                          std::ranges::any_of(calls.find(flow.id), launches);
        if (!said) own.push_back(flow);
    }
    state.flows = {};
    return own;
}

LinkKind kind_of_flow(const CategoryBuild& category, const Trace& trace, SliceRef target) {
    if (category.is(kForwardBackward)) return LinkKind::forward_backward;
    const bool launches =
        category.is(kLaunchFlow) && find_row(trace.gpu_activities.slice, target) != kNoRow;
    return launches ? LinkKind::launch : LinkKind::flow;
}

void add_flows(BuilderState& state, std::vector<FlowEvent> own,
               const std::vector<LaneId>& final_lane, Trace& trace) {
    const auto key = [](const FlowEvent& f) {
        return std::tuple(f.category, f.flags & kIdForm, f.id);
    };
    std::stable_sort(own.begin(), own.end(), [&](const FlowEvent& a, const FlowEvent& b) {
        return std::tuple(key(a), a.time, a.kind) < std::tuple(key(b), b.time, b.kind);
    });
    SliceRef from;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const FlowEvent& flow = own[i];
        if (i == 0 || key(own[i - 1]) != key(flow)) from = {};
        const LaneId lane = final_lane[flow.lane];
        const bool may_be_next = flow.kind == EventKind::flow_end && !(flow.flags & kBindEnclosing);
        const SliceRef slice = lane == SliceRef::no_index
                                   ? SliceRef{}
                                   : slice_for_flow(trace, lane, flow.time, may_be_next);
        if (!slice)
            state.warn("unbound_flow", flow.source, "a flow event with no slice at its time");
        if (flow.kind != EventKind::flow_begin && from && slice) {
            const LinkKind kind = kind_of_flow(state.categories[flow.category], trace, slice);
            trace.links.push_back({from, slice, kind});
            if (kind == LinkKind::launch) ++trace.facts.gpu_activities_with_launch;
        }
        if (flow.kind != EventKind::flow_end) from = slice;
    }
}

}  // namespace

void link_slices(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace) {
    CallsByCorrelation calls(state, trace);
    std::vector<FlowEvent> flows = take_own_flows(state, trace, calls);
    add_launches(state, final_lane, trace, calls);
    const std::size_t launches = trace.links.size();
    add_flows(state, std::move(flows), final_lane, trace);
    if (trace.links.size() == launches) return;
    const auto by_source = [](const Link& a, const Link& b) {
        return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    };
    std::sort(trace.links.begin() + static_cast<std::ptrdiff_t>(launches), trace.links.end(),
              by_source);
    std::inplace_merge(trace.links.begin(),
                       trace.links.begin() + static_cast<std::ptrdiff_t>(launches),
                       trace.links.end(), by_source);
    trace.links_by_target.resize(trace.links.size());
    std::iota(trace.links_by_target.begin(), trace.links_by_target.end(), 0u);
    std::sort(trace.links_by_target.begin(), trace.links_by_target.end(),
              [&](uint32_t a, uint32_t b) {
                  return std::tie(trace.links[a].to, trace.links[a].from) <
                         std::tie(trace.links[b].to, trace.links[b].from);
              });
}

}  // namespace lanescope
