#include "core/export/traces/perfetto_tracks.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/export/traces/perfetto_fields.h"

namespace lanescope {

namespace {

using PerfettoMessage = protozero::pbf_writer;

// Perfetto's importer reserves process 0 and thread 0 for the idle task.
template <typename Number>
std::optional<Number> positive_number(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && number > 0 ? std::optional(number) : std::nullopt;
}

void put_text(PerfettoMessage& message, perfetto::Tag field, std::string_view text) {
    if (!text.empty()) message.add_string(field, text.data(), text.size());
}

}  // namespace

// Writes the lane's identity, so that Lanescope can restore the lane. Perfetto only compares the
// keys as texts.
void PerfettoTracks::put_key(PerfettoMessage& track, const nlohmann::ordered_json& facts) {
    track.add_enum(perfetto::track::kMerge, perfetto::track::kMergeByKey);
    put_text(track, perfetto::track::kMergeKey,
             facts.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

uint64_t PerfettoTracks::add(LaneId id) {
    const Lane& lane = trace_.lanes[id];
    const Process& process = trace_.processes[lane.process];
    const uint64_t process_id = process_track(lane.process);
    const auto pid = positive_number<int32_t>(events_.text(process.pid));
    const auto tid = positive_number<int64_t>(events_.text(lane.tid));
    const auto owner = process_by_pid_.find(pid.value_or(0));
    const bool is_thread = lane.kind == LaneKind::thread && pid && tid &&
                           owner != process_by_pid_.end() && owner->second == lane.process &&
                           threads_.insert({*pid, *tid}).second;
    const uint64_t track_id = ++last_id_;
    const std::string_view name = events_.text(lane.name);
    const auto thread = thread_tracks_.find(id);
    packets_.add(0, [&](PerfettoMessage& packet) {
        PerfettoMessage track(packet, perfetto::packet::kTrackDescriptor);
        track.add_uint64(perfetto::track::kId, track_id);
        track.add_uint64(perfetto::track::kParent,
                         thread == thread_tracks_.end() ? process_id : thread->second);
        track.add_int32(perfetto::track::kRank, static_cast<int32_t>(id));
        if (lane.kind != LaneKind::counter)
            put_key(track, {{"lanescope", lane.kind == LaneKind::async ? "async" : "lane"},
                            {"tid", row_of_lane(lane)},
                            {"sort", lane.sort_index}});
        if (!is_thread) {
            put_text(track, perfetto::track::kName, name);
        } else {
            PerfettoMessage facts(track, perfetto::track::kThread);
            facts.add_int32(perfetto::thread::kPid, *pid);
            facts.add_int64(perfetto::thread::kTid, *tid);
            put_text(facts, perfetto::thread::kName, name);
        }
        if (lane.kind != LaneKind::counter) return;
        PerfettoMessage counter(track, perfetto::track::kCounter);
        if (name.starts_with("memory ") || name.starts_with("GPU memory "))
            counter.add_enum(perfetto::counter::kUnit, perfetto::counter::kBytes);
    });
    if (is_thread) thread_tracks_[id] = track_id;
    return track_id;
}

uint64_t PerfettoTracks::process_track(uint32_t row) {
    if (process_ids_[row] != 0) return process_ids_[row];
    const Process& process = trace_.processes[row];
    const auto pid = positive_number<int32_t>(events_.text(process.pid));
    const bool is_process = !process.is_gpu && pid && process_by_pid_.try_emplace(*pid, row).second;
    const uint64_t id = ++last_id_;
    process_ids_[row] = id;
    packets_.add(0, [&](PerfettoMessage& packet) {
        PerfettoMessage track(packet, perfetto::packet::kTrackDescriptor);
        track.add_uint64(perfetto::track::kId, id);
        track.add_enum(perfetto::track::kChildOrdering, perfetto::track::kExplicitOrder);
        track.add_int32(perfetto::track::kRank, static_cast<int32_t>(row));
        put_key(track, {{"lanescope", "process"},
                        {"pid", events_.pid_of(process)},
                        {"name", std::string(events_.process_name(process.name))},
                        {"labels", std::string(events_.text(process.labels))},
                        {"sort", process.sort_index}});
        if (!is_process) return put_text(track, perfetto::track::kName, process_title(process));
        PerfettoMessage facts(track, perfetto::track::kProcess);
        facts.add_int32(perfetto::process::kPid, *pid);
        put_text(facts, perfetto::process::kName, events_.process_name(process.name));
        put_text(facts, perfetto::process::kLabels, events_.text(process.labels));
    });
    return id;
}

// An asynchronous lane has no row: its ranges are grouped by name.
std::string PerfettoTracks::row_of_lane(const Lane& lane) {
    if (lane.kind == LaneKind::async) return std::string(events_.text(lane.name));
    return events_.tid_of(lane);
}

std::string PerfettoTracks::process_title(const Process& process) {
    const std::string name(events_.process_name(process.name));
    const std::string_view labels = events_.text(process.labels);
    if (labels.empty())
        return name.empty() ? fmt::format("process {}", events_.text(process.pid)) : name;
    return name.empty() ? std::string(labels) : fmt::format("{} ({})", labels, name);
}

}  // namespace lanescope
