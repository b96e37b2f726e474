#include "core/insight/summary/gap_story.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/gpu_work.h"

namespace lanescope {

namespace {

constexpr Nanos kMinPartOfCalls = 20;      // a twentieth of the gap
constexpr Nanos kMinPartAround = 4;        // a quarter
constexpr Nanos kLongestAround = 5;        // times the gap's length
constexpr Nanos kLongLaunch = 10'000'000;  // the first launch of a kernel loads it
constexpr std::size_t kLongestCalls = 2;

bool says_what_for(EventClass c) {
    return c == EventClass::op || c == EventClass::module || c == EventClass::annotation ||
           c == EventClass::communication;
}

bool is_call(EventClass c) {
    return c == EventClass::runtime || c == EventClass::sync;
}

bool covers_half(const GapCall& call, TimeRange gap) {
    return 2 * call.inside >= gap.length();
}

bool lies_in(const Trace& trace, SliceRef inner, SliceRef outer) {
    return trace.start(inner) >= trace.start(outer) &&
           trace.slice_end(inner) <= trace.slice_end(outer);
}

// Calls visit(call, its class) for each slice of the lane that overlaps the gap, row by row from
// the outermost.
template <typename Visit>
void visit_inside(const Trace& trace, LaneId lane, TimeRange gap, const Visit& visit) {
    for (const auto& chunk : trace.lanes[lane].chunks) {
        for (const DepthRow& row : chunk->rows) {
            const Nanos* const start = chunk->start.begin();
            const Nanos* at = std::lower_bound(start + row.begin, start + row.end, gap.begin);
            if (at != start + row.begin) --at;  // the previous slice may reach into the gap
            for (; at != start + row.end && *at < gap.end; ++at) {
                const auto i = static_cast<uint32_t>(at - start);
                const Nanos inside = std::min(chunk->end(i), gap.end) - std::max(*at, gap.begin);
                if (inside <= 0) continue;
                const SliceRef slice{lane, chunk->first + i};
                visit(GapCall{slice, inside}, trace.event_class(slice));
            }
        }
    }
}

void add_call(GapCalls& calls, const GapCall& call) {
    ++calls.count;
    calls.total += call.inside;
    const auto place = std::ranges::find_if(
        calls.longest, [&](const GapCall& other) { return call.inside > other.inside; });
    calls.longest.insert(place, call);
    if (calls.longest.size() > kLongestCalls) calls.longest.pop_back();
}

bool loads_a_kernel(const TraceContext& context, SliceRef call) {
    const Trace& trace = context.trace();
    if (trace.duration(call) < kLongLaunch ||
        trace.name(call).find("LaunchKernel") == std::string_view::npos)
        return false;
    for (const uint32_t row : context.get<Attribution>().launched_by(call)) {
        const SliceRef kernel = trace.gpu_activities.slice[row];
        if (trace.event_class(kernel) == EventClass::memory) continue;
        const StringId name = trace.name_id(kernel);
        return std::ranges::none_of(trace.gpu_activities.slice, [&](SliceRef other) {
            return trace.name_id(other) == name && trace.start(other) < trace.start(kernel);
        });
    }
    return false;
}

std::vector<GapCalls> worth_showing(const TraceContext& context,
                                    const std::map<StringId, GapCalls>& by_name, TimeRange gap) {
    std::vector<GapCalls> listed;
    for (const auto& [name, calls] : by_name)
        if (kMinPartOfCalls * calls.total >= gap.length()) listed.push_back(calls);
    std::ranges::stable_sort(listed, std::greater(), &GapCalls::total);
    for (GapCalls& calls : listed)
        calls.loads_kernel = loads_a_kernel(context, calls.longest.front().slice);
    return listed;
}

// `half`: slices that cover half of the gap and explain it, outermost first.
void choose_around(const Trace& trace, const std::vector<GapCall>& half, const GapCall& longest,
                   GapStory& story) {
    const Nanos gap = story.gap.range.length();
    const auto is_about = [&](const GapCall& call) {
        return trace.event_class(call.slice) == EventClass::op ||
               trace.duration(call.slice) <= kLongestAround * gap;
    };
    const auto found = std::find_if(half.rbegin(), half.rend(), is_about);
    if (found != half.rend()) {
        story.around = *found;
        story.chain.assign(half.begin(), found.base() - 1);
        return;
    }
    if (!longest.slice || kMinPartAround * longest.inside < gap) {
        story.chain = half;
        return;
    }
    story.around = longest;
    for (const GapCall& call : half)
        if (lies_in(trace, longest.slice, call.slice)) story.chain.push_back(call);
}

void describe_host(const TraceContext& context, GapStory& story) {
    const Trace& trace = context.trace();
    const TimeRange gap = story.gap.range;
    std::map<StringId, GapCalls> by_name;
    std::vector<GapCall> half;
    GapCall longest;  // the longest among the slices that do not cover half
    GapCall frame;
    visit_inside(trace, story.gap.launch.lane, gap, [&](const GapCall& call, EventClass c) {
        if (is_call(c)) {
            GapCalls& calls = by_name[trace.name_id(call.slice)];
            calls.name = trace.name_id(call.slice);
            add_call(calls, call);
        } else if (c == EventClass::python) {
            const bool is_about = trace.duration(call.slice) <= kLongestAround * gap.length();
            if (covers_half(call, gap) && is_about) frame = call;
        } else if (says_what_for(c)) {
            if (covers_half(call, gap))
                half.push_back(call);
            else if (call.inside > longest.inside)
                longest = call;
        }
    });
    story.calls = worth_showing(context, by_name, gap);
    choose_around(trace, half, longest, story);
    if (frame.slice && (!story.around.slice || lies_in(trace, frame.slice, story.around.slice)))
        story.frame = frame.slice;
}

GapThread thread_during(const TraceContext& context, LaneId lane, TimeRange gap) {
    const Trace& trace = context.trace();
    GapThread thread;
    thread.lane = lane;
    visit_inside(trace, lane, gap, [&](const GapCall& call, EventClass c) {
        const bool says_nothing = c == EventClass::other || c == EventClass::overhead;
        const bool must_be_short = c == EventClass::annotation || c == EventClass::python;
        if (says_nothing || !covers_half(call, gap)) return;
        if (must_be_short && trace.duration(call.slice) > kLongestAround * gap.length()) return;
        thread.call = call;
    });
    if (!thread.call.slice) return thread;
    thread.outlasts = trace.slice_end(thread.call.slice) > gap.end;
    if (!is_call(trace.event_class(thread.call.slice))) return thread;
    for (const SliceRef around : enclosing(context.get<CallTrees>().by_lane, thread.call.slice)) {
        if (trace.event_class(around) != EventClass::op) continue;
        thread.op = around;
        break;
    }
    return thread;
}

std::vector<GapThread> threads_during(const TraceContext& context, const IdleGap& gap) {
    const Trace& trace = context.trace();
    const uint32_t process = trace.lanes[gap.launch.lane].process;
    std::vector<GapThread> threads;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (trace.lanes[lane].kind != LaneKind::thread || trace.lanes[lane].process != process)
            continue;
        const GapThread thread = thread_during(context, lane, gap.range);
        if (thread.call.slice || lane == gap.launch.lane) threads.push_back(thread);
    }
    return threads;
}

SliceRef outermost_operator(const TraceContext& context, SliceRef launch) {
    SliceRef outermost;
    if (!launch) return outermost;
    for (const SliceRef call : enclosing(context.get<CallTrees>().by_lane, launch))
        if (context.trace().event_class(call) == EventClass::op) outermost = call;
    return outermost;
}

}  // namespace

std::vector<IdleGap> device_gaps(const TraceContext& context, const TableQuery& query) {
    const Column<IdleGap> cut = query.range ? idle_gaps(context, query) : Column<IdleGap>();
    std::vector<IdleGap> gaps;
    for (const IdleGap& gap : query.range ? cut : context.get<AllIdleGaps>().rows)
        if (gap.of_device) gaps.push_back(gap);
    return gaps;
}

GapStory gap_story(const TraceContext& context, const IdleGap& gap) {
    GapStory story;
    story.gap = gap;
    story.op_before = outermost_operator(context, context.get<Attribution>().launch[gap.before]);
    story.op_after = outermost_operator(context, gap.launch);
    if (gap.launch) describe_host(context, story);
    if (gap.launch && gap.cause == GapCause::graph) story.threads = threads_during(context, gap);
    return story;
}

WalkedGap walk_to(const TraceContext& context, const std::vector<IdleGap>& gaps,
                  std::size_t place) {
    const IdleGap& gap = gaps[place];
    WalkedGap walked{gap_story(context, gap), place, gaps.size(), 0, 0};
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        if (device.process != gap.process || device.device != gap.device) continue;
        std::vector<TimeRange> ranges;
        for (const GpuWork& work : device.work) ranges.push_back(work.range);
        walked.device_span = span_of(device.work).length();
        walked.device_busy = total_length(merged(std::move(ranges)));
    }
    return walked;
}

}  // namespace lanescope
