#include "core/export/tables/facts_writer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/collectives/distributed_facts.h"
#include "core/base/format.h"
#include "core/export/words/written_by.h"
#include "core/replays/graph_replays.h"
#include "core/trace/devices.h"
#include "core/trace/join.h"

namespace lanescope {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

Json devices_json(const Trace& trace) {
    Json devices = Json::array();
    for (const Device& device : trace.devices) {
        Json object = {{"id", device.id}, {"name", device.name}};
        for (const auto& [key, value] : named_facts(device)) object[key] = value;
        devices.push_back(std::move(object));
    }
    return devices;
}

Json warnings_json(const Trace& trace) {
    Json warnings = Json::array();
    for (const Warning& w : trace.warnings) {
        Json offset = w.byte_offset == Error::no_offset ? Json() : Json(w.byte_offset);
        warnings.push_back(
            {{"code", w.code}, {"count", w.count}, {"byte_offset", offset}, {"text", w.text}});
    }
    return warnings;
}

template <typename Map>
Json object_of(const Map& map) {
    Json object = Json::object();
    for (const auto& [key, value] : map) object[key] = value;
    return object;
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}
Json or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json distributed_json(const Trace& file) {
    const std::optional<DistributedFacts> job = distributed_facts(file);
    if (!job) return {};
    Json groups = Json::array();
    for (const ProcessGroupFacts& group : job->groups)
        groups.push_back({{"name", or_null(group.name)},
                          {"description", or_null(group.description)},
                          {"backend", or_null(group.backend)},
                          {"size", or_null(group.size)},
                          {"ranks", group.ranks}});
    return {{"rank", or_null(job->rank)},
            {"world_size", or_null(job->world_size)},
            {"backend", or_null(job->backend)},
            {"process_groups", std::move(groups)}};
}

Json clock_json(const Trace& file) {
    const ClockFacts clock = clock_facts(file);
    const char* from = clock.base_is_recorded ? "recorded" : "times";
    return {{"begin_ns", clock.begin},
            {"end_ns", clock.end},
            {"unix_base_ns", or_null(clock.unix_base)},
            {"unix_base_from", clock.unix_base ? Json(from) : Json()},
            {"time_base_us", file.facts.time_base_us},
            {"host", or_null(clock.host)}};
}

Json alignment_json(const JoinFacts& join) {
    if (join.files.empty()) return {};
    Json files = Json::array();
    for (const TracePtr& file : join.files)
        files.push_back({{"path", file->path},
                         {"name", file->parts[file->only_part].name},
                         {"offset_ns", shift_of(*file)},
                         {"events", file->facts.events},
                         {"distributed", distributed_json(*file)},
                         {"clock", clock_json(*file)},
                         {"hash", or_null(file->facts.hash)}});
    return {{"by", join.aligned_by}, {"files", std::move(files)}};
}

std::string format_line(const FileFacts& facts) {
    std::string line = facts.format;
    if (!facts.compression.empty() && facts.compression != "none") line += ", " + facts.compression;
    return facts.producer.empty() ? line : line + ", written by " + facts.producer;
}

std::string time_line(const Trace& trace) {
    std::string line = format_duration(trace.end - trace.origin);
    if (trace.content.length() < trace.end - trace.origin)
        line += fmt::format(", the work in it {}", format_duration(trace.content.length()));
    if (trace.facts.time_base_us != 0)
        line += fmt::format(", counted from {} µs of the file's clock", trace.facts.time_base_us);
    return line;
}

// Empty: the file says nothing of a job.
std::string rank_line(const Trace& file) {
    const std::optional<DistributedFacts> job = distributed_facts(file);
    if (!job || !job->rank) return "";
    std::string line = fmt::format("{}", *job->rank);
    if (job->world_size) line += fmt::format(" of {}", *job->world_size);
    if (!job->backend.empty()) line += ", " + printable(job->backend);
    if (!job->groups.empty())
        line += ", " + format_count(job->groups.size(), "process group", "process groups");
    return line;
}

// When and where it was recorded. Empty: the file does not say.
std::string clock_line(const Trace& file) {
    const ClockFacts clock = clock_facts(file);
    std::string line;
    if (clock.unix_base) {
        const std::chrono::sys_time<std::chrono::nanoseconds> begin(
            std::chrono::nanoseconds(clock.begin + *clock.unix_base));
        line = fmt::format(
            "{:%Y-%m-%d %H:%M:%S} UTC",
            fmt::gmtime(
                std::chrono::floor<std::chrono::seconds>(begin).time_since_epoch().count()));
    }
    if (!clock.host.empty()) line += (line.empty() ? "on " : " on ") + printable(clock.host);
    return line;
}

Rows file_rows(const JoinFacts& join) {
    Rows rows;
    for (const TracePtr& file : join.files) {
        const std::optional<DistributedFacts> job = distributed_facts(*file);
        rows.push_back({printable(file->parts[file->only_part].name),
                        printable(std::filesystem::path(file->path).filename().string()),
                        format_duration_exact(shift_of(*file)),
                        job && job->rank ? fmt::format("{}", *job->rank) : std::string(kUnknown),
                        format_count(static_cast<int64_t>(file->facts.events))});
    }
    return rows;
}

std::string gpu_line(const FileFacts& facts) {
    if (facts.gpu_activities == 0) return "none";
    return fmt::format(
        "{}, {} with their launch",
        format_count(facts.gpu_activities, "kernel, copy or set", "kernels, copies and sets"),
        format_count(static_cast<int64_t>(facts.gpu_activities_with_launch)));
}

std::string replays_line(const ReplayCounts& counts) {
    const uint64_t unknown = counts.by[static_cast<std::size_t>(ReplayLink::none)];
    return fmt::format(
        "{} of {}; {} of them with their captured call",
        format_count(counts.launches, "launch", "launches"),
        format_count(counts.kernels, "kernel, copy or set", "kernels, copies and sets"),
        format_count(static_cast<int64_t>(counts.kernels - unknown)));
}

std::string device_line(const Device& device) {
    std::string line = device.name;
    const int64_t major = device.fact(DeviceFact::compute_major, -1);
    if (major >= 0)
        line += fmt::format(" · compute {}.{}", major, device.fact(DeviceFact::compute_minor));
    const int64_t multiprocessors = device.fact(DeviceFact::multiprocessors);
    if (multiprocessors > 0) line += fmt::format(" · {} SMs", multiprocessors);
    const int64_t bytes = device.fact(DeviceFact::memory_bytes);
    if (bytes > 0) line += " · " + format_bytes(bytes);
    return line;
}

std::string phases_line(const FileFacts& facts) {
    std::string line;
    for (const auto& [phase, count] : facts.phases)
        line +=
            fmt::format("{}{} × {}", line.empty() ? "" : ", ", phase.empty() ? "without ph" : phase,
                        format_count(static_cast<int64_t>(count)));
    return line;
}

std::size_t lanes_of_file(const Trace& trace) {
    return static_cast<std::size_t>(
        std::ranges::count(trace.lanes, false, [](const Lane& lane) { return lane.derived; }));
}

Rows head_rows(const Trace& trace, const LoadCost& cost) {
    const FileFacts& facts = trace.facts;
    Rows rows = {{"format", format_line(facts)}, {"time", time_line(trace)}};
    if (trace.synthetic)
        rows.push_back({"synthetic", "generated by a program, not recorded from a run"});
    if (std::string rank = rank_line(trace); !rank.empty())
        rows.push_back({"rank", std::move(rank)});
    if (std::string clock = clock_line(trace); !clock.empty() && trace.parts.empty())
        rows.push_back({"recorded", std::move(clock)});
    for (const Device& device : trace.devices)
        rows.push_back({fmt::format("{} {}", device_word(trace), device.id), device_line(device)});
    rows.push_back(
        {"events", fmt::format("{} ({})", format_count(static_cast<int64_t>(facts.events)),
                               phases_line(facts))});
    rows.push_back(
        {"lanes", fmt::format("{}, {}", format_count(lanes_of_file(trace), "lane", "lanes"),
                              format_count(trace.processes.size(), "process or device",
                                           "processes and devices"))});
    rows.push_back(
        {"nesting",
         fmt::format("{} deep, {}, {} of no duration", facts.max_stack,
                     format_count(facts.partial_overlaps, "partial overlap", "partial overlaps"),
                     format_count(static_cast<int64_t>(facts.zero_duration)))});
    rows.push_back({"GPU work", gpu_line(facts)});
    if (facts.launches_without_gpu_record > 0)
        rows.push_back(
            {"missing",
             fmt::format("the work of {} of {}",
                         format_count(static_cast<int64_t>(facts.launches_without_gpu_record)),
                         format_count(facts.launches, "launch", "launches"))});
    if (const ReplayCounts counts = count_replays(trace); counts.launches > 0)
        rows.push_back({"graph replays", replays_line(counts)});
    for (const std::string& capture : facts.graph_captures)
        rows.push_back({"graph capture", printable(capture)});
    for (const std::string& path : facts.compile_artifacts)
        rows.push_back({"compile artefacts", printable(path)});
    const double rate = cost.seconds > 0 ? static_cast<double>(cost.bytes) / cost.seconds : 0;
    std::string loaded =
        fmt::format("{} in {} ({}/s)", format_bytes(static_cast<int64_t>(cost.bytes)),
                    format_duration(cost.seconds * 1e9), format_bytes(static_cast<int64_t>(rate)));
    if (cost.resident_bytes)
        loaded +=
            fmt::format(", {} resident", format_bytes(static_cast<int64_t>(*cost.resident_bytes)));
    rows.push_back({"loaded", std::move(loaded)});
    return rows;
}

Rows process_rows(const Trace& trace) {
    std::vector<int64_t> lanes(trace.processes.size());
    std::vector<int64_t> slices(trace.processes.size());
    for (const Lane& lane : trace.lanes) {
        if (lane.derived) continue;
        ++lanes[lane.process];
        slices[lane.process] += lane.slice_count;
    }
    const auto text = [&](StringId id) {
        return printable(trace.strings[id].empty() ? kUnknown : trace.strings[id]);
    };
    Rows rows;
    for (std::size_t p = 0; p < trace.processes.size(); ++p) {
        const Process& process = trace.processes[p];
        if (lanes[p] == 0) continue;
        rows.push_back({text(process.name), text(process.pid), text(process.labels),
                        format_count(lanes[p]), format_count(slices[p])});
    }
    return rows;
}

// Counts complete events by category, longest total first.
Rows category_rows(const FileFacts& facts) {
    std::vector<std::pair<std::string, int64_t>> by_time(facts.duration_ns_by_category.begin(),
                                                         facts.duration_ns_by_category.end());
    std::stable_sort(by_time.begin(), by_time.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    Rows rows;
    for (const auto& [category, nanos] : by_time) {
        const auto count = facts.complete_by_category.find(category);
        rows.push_back({category.empty() ? "(none)" : printable(category),
                        count == facts.complete_by_category.end()
                            ? std::string(kUnknown)
                            : format_count(static_cast<int64_t>(count->second)),
                        format_duration(nanos)});
    }
    return rows;
}

std::string warning_lines(const Trace& trace, const TextStyle& style) {
    if (trace.warnings.empty()) return dim("No warnings.", style) + "\n";
    Rows rows;
    for (const Warning& w : trace.warnings) {
        const std::string place =
            w.byte_offset == Error::no_offset
                ? ""
                : fmt::format(" ({}at byte {})", w.count > 1 ? "the first " : "", w.byte_offset);
        rows.push_back({fmt::format("{} × {}", format_count(static_cast<int64_t>(w.count)), w.code),
                        w.text + place});
    }
    return bold("warnings", style) + "\n" + labelled_lines(rows, style);
}

Json replays_json(const Trace& trace) {
    const ReplayCounts counts = count_replays(trace);
    Json by = Json::object();
    for (const ReplayLink link : kReplayLinks)
        by[std::string(replay_link_name(link))] = counts.by[static_cast<std::size_t>(link)];
    return {{"launches", counts.launches}, {"kernels", counts.kernels}, {"by", by}};
}

}  // namespace

std::string facts_as_json(const Trace& trace, const LoadCost& cost, const JoinFacts& join) {
    const FileFacts& facts = trace.facts;
    const Json object = {
        {kWrittenByKey, kWrittenBy},
        {"format", facts.format},
        {"producer", facts.producer},
        {"devices", devices_json(trace)},
        {"events", facts.events},
        {"phases", object_of(facts.phases)},
        {"complete_by_category", object_of(facts.complete_by_category)},
        {"duration_ns_by_category", object_of(facts.duration_ns_by_category)},
        {"rows_with_complete_events", facts.rows_with_complete_events},
        {"zero_duration", facts.zero_duration},
        {"max_stack", facts.max_stack},
        {"partial_overlaps", facts.partial_overlaps},
        {"gpu_activities", facts.gpu_activities},
        {"gpu_activities_with_launch", facts.gpu_activities_with_launch},
        {"launches", facts.launches},
        {"launches_without_gpu_record", facts.launches_without_gpu_record},
        {"records_without_time", facts.records_without_time},
        {"records_over_successors", facts.records_over_successors},
        {"graph_replays", replays_json(trace)},
        {"graph_captures", facts.graph_captures},
        {"compile_artifacts", facts.compile_artifacts},
        {"warnings", warnings_json(trace)},
        {"load",
         {{"bytes", cost.bytes},
          {"seconds", cost.seconds},
          {"resident_bytes", cost.resident_bytes ? nlohmann::ordered_json(*cost.resident_bytes)
                                                 : nlohmann::ordered_json()}}},
        {"distributed", distributed_json(trace)},
        {"clock", join.files.empty() ? clock_json(trace) : Json()},
        {"hash", or_null(facts.hash)},
        {"alignment", alignment_json(join)},
    };
    return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string facts_as_text(const Trace& trace, const LoadCost& cost, const JoinFacts& join,
                          const TextStyle& style) {
    const std::string title =
        join.files.empty()
            ? printable(trace.path)
            : fmt::format("{} files, aligned by {}", join.files.size(), printable(join.aligned_by));
    std::string out = bold(title, style) + "\n";
    out += labelled_lines(head_rows(trace, cost), style);
    if (!join.files.empty())
        out += "\n" + write_grid({{"file", false, true},
                                  {"path", false, true},
                                  {"offset", true, false},
                                  {"rank", true, false},
                                  {"events", true, false}},
                                 file_rows(join), style);
    out += "\n" + write_grid({{"process", false, true},
                              {"pid", false, true},
                              {"labels", false, true},
                              {"lanes", true, false},
                              {"slices", true, false}},
                             process_rows(trace), style);
    const Rows categories = category_rows(trace.facts);
    if (!categories.empty())
        out +=
            "\n" +
            write_grid({{"category", false, true}, {"events", true, false}, {"time", true, false}},
                       categories, style);
    return out + "\n" + warning_lines(trace, style);
}

}  // namespace lanescope
