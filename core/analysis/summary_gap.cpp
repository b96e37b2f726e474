#include "core/analysis/summary_gap.h"

#include <algorithm>
#include <map>

#include "core/analysis/lane_view.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

Nanos common_length(TimeRange a, TimeRange b) {
    return std::max<Nanos>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

bool says_what(EventClass c) {
    return c == EventClass::op || c == EventClass::annotation || c == EventClass::communication;
}

bool is_call(EventClass c) {
    return c == EventClass::runtime || c == EventClass::sync;
}

SliceRef outermost_operator(const TraceContext& context, SliceRef launch) {
    SliceRef outermost;
    if (!launch) return outermost;
    for (const SliceRef call : enclosing(context.call_trees(), launch))
        if (context.trace().event_class(call) == EventClass::op) outermost = call;
    return outermost;
}

// A kernel is loaded by its first launch, which takes long then.
bool loads_a_kernel(const TraceContext& context, SliceRef call) {
    constexpr Nanos long_for_a_launch = 10'000'000;
    const Trace& trace = context.trace();
    if (trace.duration(call) < long_for_a_launch ||
        trace.name(call).find("LaunchKernel") == std::string_view::npos)
        return false;
    for (const uint32_t row : context.attribution().launched_by(call)) {
        const SliceRef kernel = trace.gpu_activities.slice[row];
        if (trace.event_class(kernel) == EventClass::memory) continue;
        const StringId name = trace.name_id(kernel);
        return std::ranges::none_of(trace.gpu_activities.slice, [&](SliceRef other) {
            return trace.name_id(other) == name && trace.start(other) < trace.start(kernel);
        });
    }
    return false;
}

void add_call(const Trace& trace, GapCalls& calls, SliceRef call, Nanos inside) {
    ++calls.count;
    calls.total += inside;
    const auto place = std::ranges::find_if(calls.longest, [&](SliceRef other) {
        return trace.duration(call) > trace.duration(other);
    });
    calls.longest.insert(place, call);
    if (calls.longest.size() > 2) calls.longest.pop_back();
}

std::vector<GapCalls> calls_in(const TraceContext& context, LaneId lane, TimeRange gap) {
    const Trace& trace = context.trace();
    const LaneView view(trace.lanes[lane]);
    std::map<StringId, GapCalls> by_name;
    for (uint32_t i = 0; i < view.size(); ++i) {
        const Nanos inside = common_length({view.start(i), view.end(i)}, gap);
        if (inside == 0 || !is_call(trace.event_class(view.name(i), view.category(i)))) continue;
        GapCalls& calls = by_name[view.name(i)];
        calls.name = view.name(i);
        add_call(trace, calls, {lane, i}, inside);
    }
    std::vector<GapCalls> found;
    for (const auto& [name, calls] : by_name)
        if (20 * calls.total >= gap.length()) found.push_back(calls);
    std::ranges::stable_sort(found, std::greater(), &GapCalls::total);
    for (GapCalls& calls : found)
        calls.loads_kernel = loads_a_kernel(context, calls.longest.front());
    return found;
}

// An operator tells what happened however long it is; a frame or an annotation that is much longer
// than the gap, as of a step, does not.
bool is_about(const Trace& trace, SliceRef call, TimeRange gap) {
    return trace.event_class(call) == EventClass::op || trace.duration(call) <= 5 * gap.length();
}

void find_host(const TraceContext& context, SummaryGap& found) {
    const Trace& trace = context.trace();
    const TimeRange gap = found.gap.range;
    std::vector<SliceRef> calls = enclosing(context.call_trees(), found.gap.host_call);
    calls.insert(calls.begin(), found.gap.host_call);
    for (const SliceRef call : calls) {
        const EventClass c = trace.event_class(call);
        if (!is_about(trace, call, gap)) continue;
        if (c == EventClass::python && !found.frame) found.frame = call;
        if (!says_what(c)) continue;
        found.op = call;
        found.op_time = common_length({trace.start(call), trace.slice_end(call)}, gap);
        return;
    }
}

}  // namespace

SummaryGap look_into(const TraceContext& context, const IdleGap& gap) {
    SummaryGap found;
    found.gap = gap;
    found.op_before = outermost_operator(context, context.attribution().launch[gap.before]);
    found.op_after = outermost_operator(context, gap.launch);
    if (!gap.launch) return found;
    if (gap.host_call) find_host(context, found);
    found.calls = calls_in(context, gap.launch.lane, gap.range);
    return found;
}

}  // namespace lanescope
