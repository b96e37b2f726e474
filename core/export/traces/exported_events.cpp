#include "core/export/traces/exported_events.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/trace/call_key.h"

namespace lanescope {

namespace {

uint64_t key_of(SliceRef slice) {
    return uint64_t{slice.lane} << 32 | slice.index;
}

Argument number_argument(std::string_view name, int64_t value) {
    return {std::string(name), std::to_string(value), false};
}

// Whether several processes have calls with the same correlation.
bool shares_correlations(const Trace& trace) {
    const RuntimeCalls& calls = trace.runtime_calls;
    std::unordered_map<int64_t, uint32_t> process_of;
    for (uint32_t row = 0; row < calls.rows(); ++row) {
        if (calls.correlation[row] == kNoValue) continue;
        const uint32_t process = trace.lanes[calls.slice[row].lane].process;
        if (process_of.try_emplace(calls.correlation[row], process).first->second != process)
            return true;
    }
    return false;
}

// A correlation that is unique in the whole file, which readers expect; those of the first process
// remain as they are.
int64_t unique_correlation(uint32_t process, int64_t correlation) {
    if (process == kNoRow) return correlation;
    return static_cast<int64_t>((uint64_t{process} << 32) + static_cast<uint64_t>(correlation));
}

// The argument that names the recording of the event for which a stream waits.
constexpr std::string_view kAwaitedCall = "wait_on_cuda_event_record_corr_id";

}  // namespace

ExportedEvents::ExportedEvents(const TraceExport& what)
    : trace_(what.trace),
      what_(what),
      memory_rows_(memory_rows(what.trace)),
      must_differ_(shares_correlations(what.trace)) {
    const auto keep = [&](const auto& table, const auto& process_of) {
        for (uint32_t row = 0; row < table.rows(); ++row) {
            if (table.correlation[row] == kNoValue) continue;
            const SliceRef slice = table.slice[row];
            correlations_[key_of(slice)] = unique_correlation(
                must_differ_ ? process_of(slice.lane) : kNoRow, table.correlation[row]);
        }
    };
    const auto caller = [&](LaneId lane) { return trace_.lanes[lane].process; };
    const auto launcher = [&](LaneId lane) { return launching_process(trace_, lane); };
    keep(trace_.gpu_activities, launcher);
    keep(trace_.runtime_calls, caller);
    keep(trace_.synchronisations, launcher);
    for (uint32_t row = 0; row < trace_.sampled_calls.slice.size(); ++row)
        sampled_rows_[key_of(trace_.sampled_calls.slice[row])] = row;
}

std::vector<ExportedEvent> ExportedEvents::in_file_order() const {
    std::vector<ExportedEvent> events;
    for (LaneId id = 0; id < trace_.lanes.size(); ++id) {
        const Lane& lane = trace_.lanes[id];
        if (lane.derived) continue;
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i)
                if (what_.selection.holds({id, chunk->first + i}))
                    events.push_back({chunk->source[i], id, chunk->first + i, false});
        for (uint32_t i = 0; lane.instants && i < lane.instants->time.size(); ++i)
            if (what_.selection.holds_instant(id, i))
                events.push_back({lane.instants->source[i], id, i, true});
    }
    std::ranges::stable_sort(events, {}, &ExportedEvent::source);
    return events;
}

Result<std::vector<Argument>> ExportedEvents::arguments(const ExportedEvent& event) {
    Result<std::vector<Argument>> read = what_.read_arguments(event.source);
    if (!read) return read.error();
    std::vector<Argument> all = std::move(*read);
    std::vector<Argument> more;
    if (event.is_instant) {
        const auto row = memory_rows_.find({event.lane, event.index});
        if (row != memory_rows_.end()) more = of_memory(row->second);
    } else {
        const int64_t correlation = correlation_of(event.slice());
        for (Argument& argument : all) {
            if (correlation != kNoValue && argument.name == "correlation")
                argument = number_argument("correlation", correlation);
            if (must_differ_ && argument.name == kAwaitedCall) tell_apart(event.slice(), argument);
        }
        more = of_sample(event.slice());
    }
    const bool has_more = !more.empty() && std::ranges::any_of(all, [&](const Argument& argument) {
        return argument.name == more.front().name;
    });
    if (!has_more) std::ranges::move(more, std::back_inserter(all));
    return what_.scrubber ? what_.scrubber->arguments(std::move(all)) : all;
}

void ExportedEvents::tell_apart(SliceRef slice, Argument& argument) const {
    int64_t correlation = 0;
    const char* const end = argument.value.data() + argument.value.size();
    const auto [stop, error] = std::from_chars(argument.value.data(), end, correlation);
    if (error != std::errc() || stop != end) return;
    argument = number_argument(
        argument.name, unique_correlation(launching_process(trace_, slice.lane), correlation));
}

int64_t ExportedEvents::correlation_of(SliceRef slice) const {
    const auto known = correlations_.find(key_of(slice));
    return known == correlations_.end() ? kNoValue : known->second;
}

bool ExportedEvents::holds(const Link& link) const {
    return !trace_.lanes[link.from.lane].derived && !trace_.lanes[link.to.lane].derived &&
           what_.selection.holds(link.from) && what_.selection.holds(link.to);
}

std::string ExportedEvents::pid_of(const Process& process) {
    const std::string_view pid = text(process.pid);
    return std::string(pid.empty() && process.is_profilers_own ? "-1" : pid);
}

std::string ExportedEvents::tid_of(const Lane& lane) {
    std::string tid(text(lane.tid));
    const bool is_device =
        lane.kind == LaneKind::thread && tid.empty() && trace_.processes[lane.process].is_gpu;
    if (is_device) tid = "-1";
    if (lane.kind == LaneKind::samples) tid += lane.samples_python ? " python samples" : " samples";
    return tid;
}

std::string_view ExportedEvents::text(StringId id) {
    const std::string_view plain = trace_.strings[id];
    if (!what_.scrubber) return plain;
    const auto [known, is_new] = scrubbed_.try_emplace(id);
    if (is_new) known->second = what_.scrubber->text(plain);
    return known->second;
}

std::string_view ExportedEvents::process_name(StringId id) {
    const std::string_view plain = trace_.strings[id];
    if (!what_.scrubber) return plain;
    process_name_ = what_.scrubber->process_name(plain);
    return process_name_;
}

std::vector<Argument> ExportedEvents::of_sample(SliceRef slice) const {
    const auto row = sampled_rows_.find(key_of(slice));
    if (row == sampled_rows_.end()) return {};
    const SampledCalls& calls = trace_.sampled_calls;
    std::vector<Argument> facts = {number_argument("samples", calls.samples[row->second])};
    const auto add_known = [&](std::string_view key, const Column<int64_t>& values) {
        const int64_t value = values.size() == 0 ? kNoValue : values[row->second];
        if (value != kNoValue) facts.push_back(number_argument(key, value));
    };
    add_known("cpu_ns", calls.cpu_time);
    add_known("gil_samples", calls.gil_samples);
    add_known("running_samples", calls.running_samples);
    facts.push_back({"module", std::string(trace_.strings[calls.module[row->second]]), true});
    return facts;
}

std::vector<Argument> ExportedEvents::of_memory(uint32_t row) const {
    const MemoryEvents& m = trace_.memory_events;
    std::vector<Argument> facts = {number_argument("Addr", m.address[row]),
                                   number_argument("Bytes", m.bytes[row]),
                                   number_argument("Device Type", m.device_type[row]),
                                   number_argument("Device Id", m.device_id[row])};
    if (m.total_allocated[row] != kNoValue)
        facts.push_back(number_argument("Total Allocated", m.total_allocated[row]));
    if (m.total_reserved[row] != kNoValue)
        facts.push_back(number_argument("Total Reserved", m.total_reserved[row]));
    return facts;
}

}  // namespace lanescope
