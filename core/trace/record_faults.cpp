#include "core/trace/record_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/trace/edit_slices.h"
#include "core/trace/launch_calls.h"
#include "core/trace/query.h"
#include "core/trace/stream_captures.h"

namespace lanescope {

namespace {

constexpr Nanos kHour = 3'600'000'000'000;
constexpr std::size_t kFewEvents = 3;
constexpr std::size_t kListed = 20;  // positions in a warning

void warn(Trace& trace, std::string code, std::string text, std::vector<SliceRef> slices) {
    Warning& warning = trace.warnings.emplace_back();
    warning.code = std::move(code);
    warning.text = std::move(text);
    warning.count = slices.size();
    for (const SliceRef slice : slices) {
        if (warning.offsets.size() == kListed) break;
        const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
        warning.offsets.push_back(chunk->source[i]);
    }
    warning.byte_offset = warning.offsets.empty() ? Error::no_offset : warning.offsets.front();
}

struct TimedSlice {
    Nanos start;
    Nanos end;
    SliceRef slice;
};

std::vector<TimedSlice> slices_by_time(const Trace& trace) {
    std::vector<TimedSlice> slices;
    for (LaneId id = 0; id < trace.lanes.size(); ++id)
        for (const auto& chunk : trace.lanes[id].chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i)
                slices.push_back({chunk->start[i], chunk->end(i), {id, chunk->first + i}});
    std::ranges::stable_sort(slices, {}, &TimedSlice::start);
    return slices;
}

// Slices without a true time: between them and all others lies more than an hour.
std::vector<SliceRef> slices_without_time(const Trace& trace) {
    std::vector<SliceRef> found;
    if (trace.end - trace.origin < kHour) return found;
    const std::vector<TimedSlice> slices = slices_by_time(trace);
    std::vector<std::pair<std::size_t, std::size_t>> groups;  // begin and end
    Nanos end = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (groups.empty() || slices[i].start - end > kHour) {
            groups.emplace_back(i, i);
            end = slices[i].end;
        }
        groups.back().second = i + 1;
        end = std::max(end, slices[i].end);
    }
    const auto size = [](const auto& group) { return group.second - group.first; };
    const auto main = std::ranges::max_element(groups, {}, size);
    for (auto group = groups.begin(); group != groups.end(); ++group) {
        if (group == main) continue;
        const bool at_zero = slices[group->first].start == 0 && slices[group->second - 1].end == 0;
        const bool few = !trace.gpu_activities.slice.empty() && size(*group) <= kFewEvents &&
                         size(*group) * 100 < size(*main);
        for (std::size_t i = group->first; i < group->second && (at_zero || few); ++i)
            found.push_back(slices[i].slice);
    }
    return found;
}

void remove_without_time(Trace& trace) {
    const std::vector<SliceRef> found = slices_without_time(trace);
    if (found.empty()) return;
    trace.facts.records_without_time = found.size();
    warn(trace, "record_without_time",
         "a record whose time is more than an hour away from all others; left out", found);
    std::vector<SliceEdit> edits;
    for (const SliceRef slice : found) edits.push_back({slice, std::nullopt});
    edit_slices(trace, std::move(edits));
}

struct StreamRecord {
    TimeRange range;
    SliceRef slice;
};

// The records of each stream in which some overlap, by begin.
std::vector<std::vector<StreamRecord>> overlapping_streams(const Trace& trace) {
    std::vector<std::vector<StreamRecord>> streams(trace.lanes.size());
    for (const SliceRef slice : trace.gpu_activities.slice)
        if (trace.lanes[slice.lane].depth_count > 1)
            streams[slice.lane].push_back({{trace.start(slice), trace.slice_end(slice)}, slice});
    for (std::vector<StreamRecord>& stream : streams)
        std::ranges::stable_sort(stream, {},
                                 [](const StreamRecord& record) { return record.range.begin; });
    return streams;
}

// Work of one call on a stream begins when the work before has ended. The branches of a graph may
// overlap, and collectives run on their own streams, which ROCm may show as one stream.
bool is_in_order(const Trace& trace, SliceRef work) {
    const auto links = links_to(trace, work);
    return !links.empty() && trace.event_class(work) != EventClass::communication &&
           std::ranges::none_of(links, [&](uint32_t link) {
               return launched_work(trace.name(trace.links[link].from)) == LaunchedWork::graph;
           });
}

void shorten_over_successors(Trace& trace) {
    std::vector<SliceEdit> edits;
    std::vector<SliceRef> found;
    for (const std::vector<StreamRecord>& stream : overlapping_streams(trace))
        for (std::size_t i = 0; i + 2 < stream.size(); ++i) {
            const TimeRange record = stream[i].range;
            const TimeRange next = stream[i + 1].range;
            if (record.end <= std::max(next.end, stream[i + 2].range.end) ||
                next.begin == record.begin || !is_in_order(trace, stream[i].slice))
                continue;
            edits.push_back({stream[i].slice, next.begin - record.begin});
            found.push_back(stream[i].slice);
        }
    if (edits.empty()) return;
    trace.facts.records_over_successors = edits.size();
    warn(trace, "record_over_successors",
         "a GPU record lasts beyond the next records of its stream; it counts until the next one "
         "begins",
         found);
    GpuActivities& gpu = trace.gpu_activities;
    gpu.recorded_duration = Column<int64_t>::filled(gpu.rows(), kNoValue);
    for (const SliceRef slice : found)
        gpu.recorded_duration[find_row(gpu.slice, slice)] = trace.duration(slice);
    edit_slices(trace, std::move(edits));
}

// The launches of a trace, in ascending order of their slices.
template <typename Visit>
void visit_launches(const Trace& trace, const Visit& visit) {
    std::vector<uint8_t> known(trace.strings.size(), 255);
    for (uint32_t row = 0; row < trace.runtime_calls.rows(); ++row) {
        const SliceRef call = trace.runtime_calls.slice[row];
        uint8_t& work = known[trace.name_id(call)];
        if (work == 255) work = static_cast<uint8_t>(launched_work(trace.name(call)));
        const auto kind = static_cast<LaunchedWork>(work);
        if (kind != LaunchedWork::none && kind != LaunchedWork::set) visit(row, call);
    }
}

// The captures of each process, by begin. Those of one process do not overlap.
std::vector<std::vector<TimeRange>> captures_by_process(const Trace& trace) {
    std::vector<std::vector<TimeRange>> captures(trace.processes.size());
    for (const StreamCapture& capture : stream_captures(trace))
        captures[capture.process].push_back(capture.range);
    return captures;
}

}  // namespace

std::vector<uint32_t> launches_of(const Trace& trace) {
    std::vector<uint32_t> rows;
    visit_launches(trace, [&](uint32_t row, SliceRef) { rows.push_back(row); });
    return rows;
}

std::vector<uint32_t> launches_without_record(const Trace& trace) {
    std::vector<uint32_t> rows;
    if (trace.gpu_activities.slice.empty()) return rows;
    const std::vector<std::vector<TimeRange>> captures = captures_by_process(trace);
    LinkCursor links(trace);
    visit_launches(trace, [&](uint32_t row, SliceRef call) {
        if (!links.from(call).empty()) return;
        const std::vector<TimeRange>& own = captures[trace.lanes[call.lane].process];
        const Nanos start = trace.start(call);
        const auto after = std::ranges::upper_bound(own, start, {}, &TimeRange::begin);
        if (after == own.begin() || !(after - 1)->contains(start)) rows.push_back(row);
    });
    std::ranges::stable_sort(
        rows, {}, [&](uint32_t row) { return trace.start(trace.runtime_calls.slice[row]); });
    return rows;
}

void repair_records(Trace& trace) {
    visit_launches(trace, [&](uint32_t, SliceRef) { ++trace.facts.launches; });
    trace.facts.launches_without_gpu_record = launches_without_record(trace).size();
    remove_without_time(trace);
    shorten_over_successors(trace);
}

}  // namespace lanescope
