#include "core/export/facts_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/format.h"

namespace lanescope {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

Json devices_json(const Trace& trace) {
    Json devices = Json::array();
    for (const Device& device : trace.devices) {
        Json object = {{"id", device.id}, {"name", device.name}};
        for (const auto& [key, value] : device.properties) object[key] = value;
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

std::string plural(uint64_t n, const char* one, const char* many) {
    return fmt::format("{} {}", format_count(static_cast<int64_t>(n)), n == 1 ? one : many);
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
    return line;
}

std::string gpu_line(const FileFacts& facts) {
    if (facts.gpu_activities == 0) return "none";
    return fmt::format(
        "{}, {} with their launch",
        plural(facts.gpu_activities, "kernel, copy or set", "kernels, copies and sets"),
        format_count(static_cast<int64_t>(facts.gpu_activities_with_launch)));
}

std::string device_line(const Device& device) {
    std::string line = device.name;
    const auto property = [&](const char* key) {
        const auto found = device.properties.find(key);
        return found == device.properties.end() ? int64_t{-1} : found->second;
    };
    if (property("computeMajor") >= 0)
        line += fmt::format(" · compute {}.{}", property("computeMajor"),
                            std::max<int64_t>(0, property("computeMinor")));
    if (property("numSms") > 0) line += fmt::format(" · {} SMs", property("numSms"));
    if (property("totalGlobalMem") > 0) line += " · " + format_bytes(property("totalGlobalMem"));
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

Rows head_rows(const Trace& trace, const LoadCost& cost) {
    const FileFacts& facts = trace.facts;
    Rows rows = {{"format", format_line(facts)}, {"time", time_line(trace)}};
    if (trace.synthetic) rows.push_back({"synthetic", "made by a program: no such run took place"});
    for (const Device& device : trace.devices)
        rows.push_back({fmt::format("GPU {}", device.id), device_line(device)});
    rows.push_back(
        {"events", fmt::format("{} ({})", format_count(static_cast<int64_t>(facts.events)),
                               phases_line(facts))});
    rows.push_back({"lanes", fmt::format("{}, {}", plural(trace.lanes.size(), "lane", "lanes"),
                                         plural(trace.processes.size(), "process or device",
                                                "processes and devices"))});
    rows.push_back(
        {"nesting",
         fmt::format("{} deep, {}, {} of no duration", facts.max_stack,
                     plural(facts.partial_overlaps, "partial overlap", "partial overlaps"),
                     format_count(static_cast<int64_t>(facts.zero_duration)))});
    rows.push_back({"GPU work", gpu_line(facts)});
    const double rate = cost.seconds > 0 ? static_cast<double>(cost.bytes) / cost.seconds : 0;
    rows.push_back(
        {"loaded",
         fmt::format("{} in {} ({}/s), {} resident", format_bytes(static_cast<int64_t>(cost.bytes)),
                     format_duration(cost.seconds * 1e9), format_bytes(static_cast<int64_t>(rate)),
                     format_bytes(static_cast<int64_t>(cost.resident_bytes)))});
    return rows;
}

Rows process_rows(const Trace& trace) {
    std::vector<int64_t> lanes(trace.processes.size());
    std::vector<int64_t> slices(trace.processes.size());
    for (const Lane& lane : trace.lanes) {
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

}  // namespace

std::string facts_as_json(const Trace& trace, const LoadCost& cost) {
    const FileFacts& facts = trace.facts;
    const Json object = {
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
        {"warnings", warnings_json(trace)},
        {"load",
         {{"bytes", cost.bytes},
          {"seconds", cost.seconds},
          {"resident_bytes", cost.resident_bytes}}},
    };
    return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string facts_as_text(const Trace& trace, const LoadCost& cost, const TextStyle& style) {
    std::string out = bold(printable(trace.path), style) + "\n";
    out += labelled_lines(head_rows(trace, cost), style);
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
