// Links: launch calls to GPU activities by correlation, and the file's own flows by (category, id).
#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/ingest/finish_trace.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

// The rows of the runtime calls with a given correlation, as a chain.
class CallsByCorrelation {
  public:
    explicit CallsByCorrelation(const RuntimeCalls& calls) : next_(calls.slice.size()) {
        int64_t low = INT64_MAX;
        int64_t high = INT64_MIN;
        for (const int64_t c : calls.correlation) {
            if (c == kNoValue) continue;
            low = std::min(low, c);
            high = std::max(high, c);
        }
        if (low > high) return;
        // Correlations count upwards: a plain table serves, unless a file's are scattered.
        const auto span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
        if (span < calls.slice.size() * 8 + 65536) {
            low_ = low;
            dense_.assign(span + 1, kNoRow);
        }
        for (uint32_t row = static_cast<uint32_t>(calls.slice.size()); row-- > 0;) {
            const int64_t c = calls.correlation[row];
            if (c == kNoValue) continue;
            uint32_t& head = dense_.empty()
                                 ? sparse_.try_emplace(c, kNoRow).first->second
                                 : dense_[static_cast<uint64_t>(c) - static_cast<uint64_t>(low_)];
            next_[row] = head;
            head = row;
        }
    }

    uint32_t first(int64_t correlation) const {
        if (dense_.empty()) {
            const auto found = sparse_.find(correlation);
            return found == sparse_.end() ? kNoRow : found->second;
        }
        // Unsigned: what is far below the lowest is far beyond the table's end.
        const uint64_t place = static_cast<uint64_t>(correlation) - static_cast<uint64_t>(low_);
        return place < dense_.size() ? dense_[place] : kNoRow;
    }
    uint32_t next(uint32_t row) const { return next_[row]; }

  private:
    int64_t low_ = 0;
    std::vector<uint32_t> dense_;
    std::unordered_map<int64_t, uint32_t> sparse_;
    Column<uint32_t> next_;
};

// Of several calls with one correlation (ranks in one file), the last that began before the
// activity, else the first.
class LaunchingCalls {
  public:
    LaunchingCalls(const Trace& trace, const CallsByCorrelation& calls)
        : trace_(trace), calls_(calls) {
        const RuntimeCalls& table = trace.runtime_calls;
        for (uint32_t row = 0; row < table.slice.size(); ++row) {
            const int64_t correlation = table.correlation[row];
            if (correlation == kNoValue) continue;
            const uint32_t first = calls.first(correlation);
            if (first != row || calls.next(first) != kNoRow)
                shared_.push_back({correlation, trace.start(table.slice[row]), row});
        }
        std::sort(shared_.begin(), shared_.end(), before);
    }

    uint32_t find(uint32_t activity) const {
        const int64_t correlation = trace_.gpu_activities.correlation[activity];
        if (correlation == kNoValue) return kNoRow;
        const uint32_t only = calls_.first(correlation);
        if (only == kNoRow || calls_.next(only) == kNoRow) return only;
        const Nanos begun = trace_.start(trace_.gpu_activities.slice[activity]);
        auto call = std::upper_bound(shared_.begin(), shared_.end(),
                                     Call{correlation, begun, kNoRow}, before);
        if (call == shared_.begin() || (call - 1)->correlation != correlation) return call->row;
        --call;
        // Of those that began at the same time the first row.
        return std::lower_bound(shared_.begin(), shared_.end(), Call{correlation, call->start, 0},
                                before)
            ->row;
    }

  private:
    struct Call {
        int64_t correlation;
        Nanos start;
        uint32_t row;
    };
    static bool before(const Call& a, const Call& b) {
        return std::tie(a.correlation, a.start, a.row) < std::tie(b.correlation, b.start, b.row);
    }

    const Trace& trace_;
    const CallsByCorrelation& calls_;
    std::vector<Call> shared_;  // calls whose correlation another call has too
};

// Whether one of the calls with the activity's correlation is of CUDA's (or HIP's) runtime or
// driver.
bool has_launch_call(const BuilderState& state, const Trace& trace, const CallsByCorrelation& calls,
                     uint32_t call) {
    for (; call != kNoRow; call = calls.next(call)) {
        const SliceRef slice = trace.runtime_calls.slice[call];
        const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
        if (state.categories[chunk->category[i]].is_launch) return true;
    }
    return false;
}

// Launch links in the order of their calls, by counting; and their order by target, which is that
// of the activities.
void add_launches(const BuilderState& state, Trace& trace, const CallsByCorrelation& calls) {
    const GpuActivities& gpu = trace.gpu_activities;
    const LaunchingCalls launching(trace, calls);
    Column<uint32_t> call_of(gpu.slice.size());
    std::vector<uint32_t> begin(trace.runtime_calls.slice.size() + 1);
    for (uint32_t i = 0; i < gpu.slice.size(); ++i) {
        call_of[i] = launching.find(i);
        if (call_of[i] == kNoRow) continue;
        ++begin[call_of[i] + 1];
        if (has_launch_call(state, trace, calls, calls.first(gpu.correlation[i])))
            ++trace.facts.gpu_activities_with_launch;
    }
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

// The innermost slice of a lane at `t`; without one, and if it may, the next that begins.
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

// The flows that do not only say again what correlations say; the others' memory is given back.
std::vector<FlowEvent> take_own_flows(BuilderState& state, const CallsByCorrelation& calls) {
    std::vector<FlowEvent> own;
    for (const FlowEvent& flow : state.flows) {
        const bool said = state.categories[flow.category].repeats_launch &&
                          !(flow.flags & kIdIsText) && calls.first(flow.id) != kNoRow;
        if (!said) own.push_back(flow);
    }
    state.flows = {};
    return own;
}

void add_flows(BuilderState& state, std::vector<FlowEvent> own,
               const std::vector<LaneId>& final_lane, Trace& trace) {
    const auto key = [](const FlowEvent& f) {
        return std::tuple(f.category, (f.flags & kIdIsText) != 0, f.id);
    };
    const auto order = [](char phase) { return phase == 's' ? 0 : phase == 't' ? 1 : 2; };
    std::stable_sort(own.begin(), own.end(), [&](const FlowEvent& a, const FlowEvent& b) {
        return std::tuple(key(a), a.time, order(a.phase)) <
               std::tuple(key(b), b.time, order(b.phase));
    });
    SliceRef from;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const FlowEvent& flow = own[i];
        if (i == 0 || key(own[i - 1]) != key(flow)) from = {};
        const LaneId lane = final_lane[flow.lane];
        const bool may_be_next = flow.phase == 'f' && !(flow.flags & kBindEnclosing);
        const SliceRef slice = lane == SliceRef::no_index
                                   ? SliceRef{}
                                   : slice_for_flow(trace, lane, flow.time, may_be_next);
        if (!slice)
            state.warn("unbound_flow", flow.source, "a flow event with no slice at its time");
        if (flow.phase != 's' && from && slice) {
            const bool is_backward =
                trace.strings[state.categories[flow.category].name] == "fwdbwd";
            trace.links.push_back(
                {from, slice, is_backward ? LinkKind::forward_backward : LinkKind::flow});
        }
        if (flow.phase != 'f') from = slice;
    }
}

}  // namespace

void link_slices(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace) {
    const CallsByCorrelation calls(trace.runtime_calls);
    std::vector<FlowEvent> flows = take_own_flows(state, calls);
    add_launches(state, trace, calls);
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
