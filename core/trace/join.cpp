#include "core/trace/join.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/trace/join_tables.h"
#include "core/trace/shifted.h"

namespace lanescope {

namespace {

// The part of `trace` that is joined: the whole trace, or the one part that it holds.
TracePart own_part(const Trace& trace) {
    if (trace.only_part != kNoRow) return trace.parts[trace.only_part];
    TracePart part;
    part.path = trace.path;
    part.span = {trace.origin, trace.end};
    part.lane_count = static_cast<uint32_t>(trace.lanes.size());
    part.process_count = static_cast<uint32_t>(trace.processes.size());
    part.config_count = static_cast<uint32_t>(trace.launch_configs.size());
    return part;
}

// The trace whose vocabulary includes all texts and categories of the others.
const Trace& widest(const std::vector<JoinPart>& parts) {
    return *std::ranges::max_element(parts, {}, [](const JoinPart& part) {
                return part.trace->strings.size();
            })->trace;
}

bool same_vocabulary(const Trace& part, const Trace& all) {
    if (part.categories.size() > all.categories.size()) return false;
    for (std::size_t i = 0; i < part.categories.size(); ++i)
        if (part.categories[i].name != all.categories[i].name) return false;
    for (StringId id = 0; id < part.strings.size(); ++id)
        if (part.strings[id] != all.strings[id]) return false;
    return true;
}

// Computes each part's place in the joined trace, and fills the tables that all parts share.
std::vector<PlacedPart> place_parts(const std::vector<JoinPart>& parts, Trace& whole) {
    std::vector<PlacedPart> placed;
    PlacedPart next;
    uint32_t process = 0;
    for (const JoinPart& part : parts) {
        const TracePart own = own_part(*part.trace);
        next.trace = part.trace.get();
        next.shift = part.offset - own.offset;
        next.lane_from = own.first_lane;
        next.config_from = own.first_config;
        next.config_count = own.config_count;
        placed.push_back(next);
        TracePart& joined = whole.parts.emplace_back(own);
        joined.name = part.name;
        joined.offset = part.offset;
        joined.span = {own.span.begin + next.shift, own.span.end + next.shift};
        joined.first_lane = next.lane_to;
        joined.first_process = process;
        joined.first_config = next.config_to;
        const auto repeated =
            std::count_if(whole.parts.begin(), whole.parts.end() - 1,
                          [&](const TracePart& p) { return p.path == joined.path; });
        joined.key = repeated ? fmt::format("{} {}", joined.path, repeated + 1) : joined.path;
        next.lane_to += own.lane_count;
        next.config_to += own.config_count;
        next.link_to += static_cast<uint32_t>(part.trace->links.size());
        process += own.process_count;
    }
    return placed;
}

void join_lanes(const PlacedPart& placed, uint32_t index, Trace& whole) {
    const Trace& from = *placed.trace;
    const TracePart own = own_part(from);
    const TracePart& to = whole.parts[index];
    for (uint32_t i = 0; i < own.process_count; ++i) {
        Process process = from.processes[own.first_process + i];
        process.part = index;
        if (process.owner != kNoRow) process.owner += to.first_process - own.first_process;
        whole.processes.push_back(process);
    }
    for (uint32_t i = 0; i < own.lane_count; ++i) {
        Lane lane = from.lanes[own.first_lane + i];
        lane.process += to.first_process - own.first_process;
        for (auto& chunk : lane.chunks) chunk = shifted(chunk, placed.shift);
        lane.instants = shifted(lane.instants, placed.shift);
        lane.counter = shifted(lane.counter, placed.shift);
        whole.lanes.push_back(std::move(lane));
    }
    for (const Device& device : from.devices) {
        whole.devices.push_back(device);
        whole.devices.back().part = index;
    }
    for (Warning warning : from.warnings) {
        warning.text = to.name + ": " + warning.text;
        whole.warnings.push_back(std::move(warning));
    }
}

template <typename Value>
void add(std::map<std::string, Value>& to, const std::map<std::string, Value>& from) {
    for (const auto& [key, value] : from) to[key] += value;
}

void join_facts(const FileFacts& from, FileFacts& to) {
    if (to.format.empty()) {
        to.format = from.format;
        to.producer = from.producer;
        to.compression = from.compression;
        to.calls_have_times = from.calls_have_times;
    }
    to.calls_have_times = to.calls_have_times || from.calls_have_times;
    to.events += from.events;
    add(to.phases, from.phases);
    add(to.complete_by_category, from.complete_by_category);
    add(to.duration_ns_by_category, from.duration_ns_by_category);
    to.rows_with_complete_events += from.rows_with_complete_events;
    to.zero_duration += from.zero_duration;
    to.max_stack = std::max(to.max_stack, from.max_stack);
    to.partial_overlaps += from.partial_overlaps;
    to.gpu_activities += from.gpu_activities;
    to.gpu_activities_with_launch += from.gpu_activities_with_launch;
    to.launches += from.launches;
    to.launches_without_gpu_record += from.launches_without_gpu_record;
    to.records_without_time += from.records_without_time;
    to.records_over_successors += from.records_over_successors;
    for (const std::string& capture : from.graph_captures)
        if (std::ranges::find(to.graph_captures, capture) == to.graph_captures.end())
            to.graph_captures.push_back(capture);
}

TimeRange shift(TimeRange range, Nanos by) {
    return {range.begin + by, range.end + by};
}

// Sets the joined trace's times, and copies what each file has once.
void join_heads(const std::vector<PlacedPart>& placed, Trace& whole) {
    whole.origin = INT64_MAX;
    whole.end = INT64_MIN;
    whole.content = {INT64_MAX, INT64_MIN};
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const Trace& from = *placed[i].trace;
        whole.origin = std::min(whole.origin, whole.parts[i].span.begin);
        whole.end = std::max(whole.end, whole.parts[i].span.end);
        const TimeRange content = shift(from.content, placed[i].shift);
        whole.content.begin = std::min(whole.content.begin, content.begin);
        whole.content.end = std::max(whole.content.end, content.end);
        whole.synthetic = whole.synthetic || from.synthetic;
        join_facts(from.facts, whole.facts);
    }
}

// A trace of part `index` alone. Lanes of the other parts remain, but are empty.
TracePtr alone(const std::vector<PlacedPart>& placed, uint32_t index, const TracePtr& whole) {
    const Trace& from = *placed[index].trace;
    const TracePart& own = whole->parts[index];
    auto part = std::make_shared<Trace>();
    part->path = own.path;
    part->strings = whole->strings.clone();
    part->categories = whole->categories;
    part->name_traits = whole->name_traits;
    part->kernel_classes = whole->kernel_classes;
    part->compiled_code = from.compiled_code;
    part->processes = whole->processes;
    for (LaneId id = 0; id < whole->lanes.size(); ++id) {
        const Lane& lane = whole->lanes[id];
        if (id - own.first_lane < own.lane_count) {
            part->lanes.push_back(lane);
            continue;
        }
        Lane& other = part->lanes.emplace_back();
        other.process = lane.process;
        other.tid = lane.tid;
        other.name = lane.name;
    }
    take_tables(placed, index, whole, *part);
    part->origin = whole->origin;
    part->end = own.span.end;
    part->content = shift(from.content, placed[index].shift);
    part->base_unix_nanos = from.base_unix_nanos ? from.base_unix_nanos - placed[index].shift : 0;
    part->synthetic = from.synthetic;
    part->devices = from.devices;
    for (Device& device : part->devices) device.part = index;
    part->metadata = from.metadata;
    part->warnings = from.warnings;
    part->facts = from.facts;
    part->parts = whole->parts;
    part->only_part = index;
    part->source = from.source;
    return part;
}

}  // namespace

Result<JoinedTrace> join_traces(const std::vector<JoinPart>& parts) {
    if (parts.empty())
        return Error{ErrorCode::usage, Error::no_offset, "There are no traces to join."};
    const Trace& vocabulary = widest(parts);
    for (const JoinPart& part : parts)
        if (!same_vocabulary(*part.trace, vocabulary))
            return Error{ErrorCode::usage, Error::no_offset,
                         part.trace->path + ": was not loaded to be joined with the others."};
    auto whole = std::make_shared<Trace>();
    whole->path = parts.front().trace->path;
    whole->strings = vocabulary.strings.clone();
    whole->categories = vocabulary.categories;
    whole->name_traits = vocabulary.name_traits;
    whole->kernel_classes = vocabulary.kernel_classes;
    // Compilation IDs are valid only within a process, so a trace joined from several parts has no
    // compiled code.
    if (parts.size() == 1) whole->compiled_code = parts.front().trace->compiled_code;
    const std::vector<PlacedPart> placed = place_parts(parts, *whole);
    for (uint32_t i = 0; i < placed.size(); ++i) join_lanes(placed[i], i, *whole);
    join_tables(placed, *whole);
    join_heads(placed, *whole);
    JoinedTrace joined{whole, {}};
    for (uint32_t i = 0; i < placed.size(); ++i) joined.parts.push_back(alone(placed, i, whole));
    return joined;
}

}  // namespace lanescope
