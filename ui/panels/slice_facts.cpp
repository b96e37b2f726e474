#include <algorithm>

#include "core/analysis/structure/attribution.h"
#include "core/trace/query.h"
#include "ui/panels/selection.h"
#include "ui/timeline/navigation.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxLaunches = 8;  // maximum number of launches listed

bool is_step(std::string_view name) {
    return name.starts_with("ProfilerStep#");
}

constexpr Explanation kSampled = {
    "-", "*", "main",
    "A function found in consecutive samples of a thread's stack. Not an observed call: its begin "
    "and end are unknown.",
    "https://man7.org/linux/man-pages/man2/perf_event_open.2.html"};

void add_launch(const Trace& trace, SliceFacts& facts, SliceRef call, SliceRef activity,
                bool peer_is_call) {
    if (facts.launches.size() == kMaxLaunches) {
        ++facts.other_launches;
        return;
    }
    facts.launches.push_back({peer_is_call ? call : activity, peer_is_call,
                              trace.start(activity) - trace.slice_end(call)});
}

// Empty unless the slice is GPU work without an operator in its chain.
std::string_view why_no_operator(const Trace& trace, const SliceFacts& facts) {
    const GpuActivities& gpu = trace.gpu_activities;
    const uint32_t row = find_row(gpu.slice, facts.slice);
    if (row == kNoRow || std::ranges::any_of(facts.origin, [&](SliceRef call) {
            return trace.event_class(call) == EventClass::op;
        }))
        return {};
    if (!facts.launches.empty()) return unattributed_reason(Unattributed::outside_operator);
    const bool correlated = !gpu.correlation.empty() && gpu.correlation[row] != kNoValue;
    return unattributed_reason(correlated ? Unattributed::no_launch : Unattributed::no_correlation);
}

}  // namespace

SliceFacts facts_of(const Trace& trace, SliceRef slice) {
    SliceFacts facts;
    const Lane& lane = trace.lanes[slice.lane];
    const auto [chunk, i] = lane.locate(slice.index);
    facts.slice = slice;
    facts.name = trace.name(slice);
    facts.event_class = trace.event_class(slice);
    facts.category = trace.strings[trace.categories[chunk->category[i]].name];
    facts.lane = trace.strings[lane.name];
    const Process& process = trace.processes[lane.process];
    const std::string_view process_name = trace.strings[process.name];
    facts.process = process_name.empty() ? trace.strings[process.pid] : process_name;
    facts.start = chunk->start[i] - trace.origin;
    facts.duration = chunk->duration[i];
    facts.self = self_time(trace, slice);
    facts.depth = chunk->depth(i);
    facts.source = chunk->source[i];
    facts.sampled = lane.kind == LaneKind::samples;
    const SampledCalls& calls = trace.sampled_calls;
    if (const uint32_t row = find_row(calls.slice.span(), slice); row != kNoRow) {
        facts.samples = calls.samples[row];
        facts.cpu_time = calls.cpu_time[row];
        const auto known = [&](const Column<int64_t>& values) {
            return values.size() == 0 ? kNoValue : values[row];
        };
        facts.gil_samples = known(calls.gil_samples);
        facts.running_samples = known(calls.running_samples);
        facts.module = trace.strings[calls.module[row]];
    }
    facts.explanation = facts.sampled ? &kSampled : explain(facts.name, facts.event_class);
    facts.origin = origin_chain(trace, slice);
    for (const SliceRef parent : facts.origin) {
        if (is_step(trace.name(parent))) facts.step = trace.name(parent);
    }
    for (const uint32_t index : links_to(trace, slice)) {
        const Link& link = trace.links[index];
        if (link.kind == LinkKind::launch) add_launch(trace, facts, link.from, slice, true);
    }
    for (const Link& link : links_from(trace, slice)) {
        if (link.kind == LinkKind::launch) add_launch(trace, facts, slice, link.to, false);
    }
    facts.unattributed = why_no_operator(trace, facts);
    facts.footprint = footprint_of(trace, slice);
    return facts;
}

}  // namespace lanescope
