// Converts the arrangement of lanes from and to JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/view/first_arrangement.h"
#include "core/view/lane_arrangement.h"

namespace lanescope {

using nlohmann::json;

namespace {

constexpr int kVersion = 2;
constexpr int kOldVersion = 1;

// Identifies a lane if its file is opened alone.
std::string own_key(const Trace& trace, LaneId id) {
    const Lane& lane = trace.lanes[id];
    const Process& process = trace.processes[lane.process];
    return fmt::format("{}/{}/{}/{}", trace.strings[process.pid], lane_kind_name(lane.kind),
                       trace.strings[lane.tid], trace.strings[lane.name]);
}

// Identifies a lane if its file is opened together with others.
std::string lane_key(const Trace& trace, LaneId id) {
    if (trace.parts.size() < 2) return own_key(trace, id);
    const Process& process = trace.processes[trace.lanes[id].process];
    return fmt::format("{} of {}", own_key(trace, id), trace.parts[process.part].key);
}

std::string part_suffix(const std::string& part_key) {
    return " of " + part_key;
}

// The arrangement of a trace that was open alone remains valid when others are opened beside it,
// where it is the first; and the arrangement among others remains valid when it is alone again.
std::string group_key_in(const Trace& trace, std::string key) {
    if (!key.starts_with("process ")) return key;
    if (trace.parts.size() < 2) {
        if (const std::string suffix = part_suffix(trace.path); key.ends_with(suffix))
            key.resize(key.size() - suffix.size());
        return key;
    }
    const bool named = std::ranges::any_of(
        trace.parts, [&](const TracePart& part) { return key.ends_with(part_suffix(part.key)); });
    return named ? key : key + part_suffix(trace.parts.front().key);
}

class LaneNames {
  public:
    explicit LaneNames(const Trace& trace) {
        for (LaneId id = 0; id < trace.lanes.size(); ++id) ids_.emplace(lane_key(trace, id), id);
        for (LaneId id = 0; id < trace.lanes.size(); ++id) {
            if (trace.parts.size() < 2)
                ids_.emplace(own_key(trace, id) + part_suffix(trace.path), id);
            else if (trace.processes[trace.lanes[id].process].part == 0)
                ids_.emplace(own_key(trace, id), id);
        }
    }
    // Calls take(id) for each lane in the list.
    template <typename Take>
    void each(const json& list, Take&& take) const {
        for (const json& name : list) {
            const auto found = ids_.find(name.get<std::string>());
            if (found != ids_.end()) take(found->second);
        }
    }
    // Calls take(id, value) for each member of an object.
    template <typename Value, typename Take>
    void each_value(const json& object, Take&& take) const {
        for (const auto& [name, value] : object.items()) {
            const auto found = ids_.find(name);
            if (found != ids_.end()) take(found->second, value.template get<Value>());
        }
    }

  private:
    std::unordered_map<std::string, LaneId> ids_;
};

template <typename Lanes>
json keys_of(const Trace& trace, const Lanes& lanes) {
    json keys = json::array();
    for (const LaneId lane : lanes) keys.push_back(lane_key(trace, lane));
    return keys;
}

template <typename Values>
json values_of(const Trace& trace, const Values& values) {
    json object = json::object();
    for (const auto& [lane, value] : values) object[lane_key(trace, lane)] = value;
    return object;
}

// Version 1 pinned lanes above the others and showed all Python frames at first; both are replaced
// by the first arrangement.
LaneArrangement read(const json& from, const Trace& trace) {
    const LaneNames names(trace);
    const bool is_old = from.at("lanes") == kOldVersion;
    LaneArrangement arrangement = is_old ? first_arrangement(trace) : LaneArrangement();
    const auto list = [&](const char* key) { return from.value(key, json::array()); };
    for (const json& key : list("folded_groups"))
        arrangement.folded_groups.insert(group_key_in(trace, key.get<std::string>()));
    for (const json& key : list("group_order"))
        arrangement.group_order.push_back(group_key_in(trace, key.get<std::string>()));
    names.each(list("folded"), [&](LaneId lane) { arrangement.folded.insert(lane); });
    names.each(list("hidden"), [&](LaneId lane) { arrangement.hidden.insert(lane); });
    names.each(list("quiet"), [&](LaneId lane) { arrangement.quiet.insert(lane); });
    if (!is_old)
        names.each(list("pinned"), [&](LaneId lane) { arrangement.pinned.push_back(lane); });
    names.each(list("order"), [&](LaneId lane) { arrangement.order.push_back(lane); });
    names.each_value<double>(from.value("curve_heights", json::object()),
                             [&](LaneId lane, double height) {
                                 arrangement.curve_heights[lane] = std::clamp(height, 0.5, 10.0);
                             });
    names.each_value<uint32_t>(
        from.value("most_rows", json::object()),
        [&](LaneId lane, uint32_t rows) { arrangement.most_rows[lane] = std::max(rows, 1U); });
    if (from.value("grouping", "process") == "stream") arrangement.grouping = LaneGrouping::stream;
    const std::string python = from.value("python_frames", std::string("all"));
    for (const PythonShown shown :
         {PythonShown::all, PythonShown::modules, PythonShown::none, PythonShown::own})
        if (python == python_shown_name(shown) && !(is_old && shown == PythonShown::all))
            arrangement.filter.python = shown;
    arrangement.dock_height = std::clamp(from.value("dock_height", 0.0), 0.0, 10'000.0);
    arrangement.filter.hide_short = from.value("hide_short", false);
    arrangement.all_rows = from.value("all_rows", false);
    return arrangement;
}

}  // namespace

bool is_old_arrangement(std::string_view text) {
    const json document = json::parse(text, nullptr, false);
    return document.is_object() && document.value("lanes", json()) == kOldVersion;
}

std::string arrangement_text(const LaneArrangement& arrangement, const Trace& trace) {
    const json document = {
        {"lanes", kVersion},
        {"folded_groups", arrangement.folded_groups},
        {"group_order", arrangement.group_order},
        {"folded", keys_of(trace, arrangement.folded)},
        {"hidden", keys_of(trace, arrangement.hidden)},
        {"quiet", keys_of(trace, arrangement.quiet)},
        {"dock_height", arrangement.dock_height},
        {"pinned", keys_of(trace, arrangement.pinned)},
        {"order", keys_of(trace, arrangement.order)},
        {"curve_heights", values_of(trace, arrangement.curve_heights)},
        {"most_rows", values_of(trace, arrangement.most_rows)},
        {"grouping", arrangement.grouping == LaneGrouping::stream ? "stream" : "process"},
        {"python_frames", python_shown_name(arrangement.filter.python)},
        {"hide_short", arrangement.filter.hide_short},
        {"all_rows", arrangement.all_rows},
    };
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<LaneArrangement> parse_arrangement(std::string_view text, const Trace& trace) {
    const Error broken{ErrorCode::damaged, Error::no_offset, "no arrangement of lanes in it"};
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object()) return broken;
    const json version = document.value("lanes", json());
    if (version != kVersion && version != kOldVersion) return broken;
    try {
        return read(document, trace);
    } catch (const json::exception&) {  // a value of another type
        return broken;
    }
}

}  // namespace lanescope
