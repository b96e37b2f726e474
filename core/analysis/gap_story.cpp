#include "core/analysis/gap_story.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/gpu_work.h"
#include "core/base/format.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostCalls = 5;
constexpr Nanos kLeastPart = 100;  // a call counts from a hundredth of the gap on

Nanos inside(const Trace& trace, SliceRef slice, TimeRange gap) {
    return std::max<Nanos>(
        0, std::min(trace.slice_end(slice), gap.end) - std::max(trace.start(slice), gap.begin));
}

bool says_what_for(EventClass event_class) {
    return event_class == EventClass::op || event_class == EventClass::module ||
           event_class == EventClass::annotation;
}

bool is_call(EventClass event_class) {
    return event_class == EventClass::runtime || event_class == EventClass::sync;
}

// Calls visit(slice) for each slice of the lane that touches the range.
template <typename Visit>
void visit_inside(const Trace& trace, LaneId lane, TimeRange range, const Visit& visit) {
    for (const auto& chunk : trace.lanes[lane].chunks) {
        for (const DepthRow& row : chunk->rows) {
            const Nanos* const start = chunk->start.begin();
            const Nanos* at = std::lower_bound(start + row.begin, start + row.end, range.begin);
            if (at != start + row.begin) --at;  // the one before may reach in
            for (; at != start + row.end && *at < range.end; ++at) {
                const auto i = static_cast<uint32_t>(at - start);
                if (chunk->end(i) > range.begin) visit(SliceRef{lane, chunk->first + i});
            }
        }
    }
}

bool longer(const GapCall& a, const GapCall& b) {
    return a.inside > b.inside;
}

// Rows are visited from the outermost on: of those that cover half, the last is the innermost.
void tell_host(const Trace& trace, GapStory& story) {
    const TimeRange gap = story.gap.range;
    GapCall longest;
    visit_inside(trace, story.gap.launch.lane, gap, [&](SliceRef slice) {
        const GapCall call{slice, inside(trace, slice, gap)};
        const EventClass event_class = trace.event_class(slice);
        if (is_call(event_class) && call.inside * kLeastPart >= gap.length())
            story.calls.push_back(call);
        if (!says_what_for(event_class)) return;
        if (2 * call.inside >= gap.length()) story.chain.push_back(call);
        if (call.inside > longest.inside) longest = call;
    });
    std::ranges::stable_sort(story.calls, longer);
    if (story.calls.size() > kMostCalls) story.calls.resize(kMostCalls);
    if (story.chain.empty()) {
        story.around = longest;
        return;
    }
    story.around = story.chain.back();
    story.chain.pop_back();
}

}  // namespace

std::vector<IdleGap> device_gaps(const TraceContext& context, const TableQuery& query) {
    const Column<IdleGap> cut = query.range ? idle_gaps(context, query) : Column<IdleGap>();
    std::vector<IdleGap> gaps;
    for (const IdleGap& gap : query.range ? cut : context.idle_gaps())
        if (gap.of_device) gaps.push_back(gap);
    return gaps;
}

GapStory gap_story(const TraceContext& context, const std::vector<IdleGap>& gaps,
                   std::size_t place) {
    const Trace& trace = context.trace();
    GapStory story;
    story.gap = gaps[place];
    story.place = place;
    story.count = gaps.size();
    if (story.gap.launch) tell_host(trace, story);
    for (const GpuDevice& device : context.gpu_devices()) {
        if (device.process != story.gap.process || device.device != story.gap.device) continue;
        std::vector<TimeRange> ranges;
        for (const GpuWork& work : device.work) ranges.push_back(work.range);
        story.device_span = span_of(device.work).length();
        story.device_busy = total_length(merged(std::move(ranges)));
    }
    return story;
}

std::string gap_line(const Trace& trace, const GapStory& story) {
    const auto name = [&](SliceRef slice) { return trace.name(slice); };
    std::string line =
        fmt::format("Gap {} of {}", format_count(static_cast<int64_t>(story.place) + 1),
                    format_count(static_cast<int64_t>(story.count)));
    if (story.gap.device >= 0) line += fmt::format(", GPU {}", story.gap.device);
    line += ": idle for " + format_duration(story.gap.range.length());
    if (const std::string_view cause = gap_cause_name(story.gap.cause); !cause.empty())
        line += fmt::format(", {}", cause);
    if (story.around.slice)
        line += fmt::format("; {} of it in {}", format_duration(story.around.inside),
                            name(story.around.slice));
    for (std::size_t i = 0; i < std::min<std::size_t>(story.calls.size(), 3); ++i)
        line += fmt::format("{} {} {}", i == 0 ? ":" : ",", name(story.calls[i].slice),
                            format_duration(story.calls[i].inside));
    return line;
}

}  // namespace lanescope
