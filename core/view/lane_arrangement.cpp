#include "core/view/lane_arrangement.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/trace/derived_lanes.h"
#include "core/trace/devices.h"

namespace lanescope {

namespace {

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Cuts " 80GB HBM3" or "-80GB" off.
std::string_view without_memory_size(std::string_view name) {
    for (std::size_t gap = name.find_first_of(" -"); gap != std::string_view::npos;
         gap = name.find_first_of(" -", gap + 1)) {
        const std::string_view rest = name.substr(gap + 1);
        const std::size_t digits = rest.find_first_not_of("0123456789");
        if (digits != 0 && digits != std::string_view::npos &&
            rest.substr(digits).starts_with("GB"))
            return name.substr(0, gap);
    }
    return name;
}

std::string title_in_file(const Trace& trace, const Process& process) {
    const std::string_view name = trace.strings[process.name];
    const std::string_view pid = trace.strings[process.pid];
    if (process.is_gpu) {
        std::string gpu(device_word(trace));
        if (process.device >= 0) gpu += fmt::format(" {}", process.device);
        const auto device = std::ranges::find_if(trace.devices, [&](const Device& d) {
            return d.id == process.device && d.part == process.part;
        });
        if (process.device >= 0 && device != trace.devices.end() && !device->name.empty())
            return fmt::format("{} · {}", gpu, short_device_name(device->name));
        return gpu;
    }
    if (name.empty() && pid.empty()) return "no process";
    if (name.empty() || name == pid)
        return is_number(pid) || pid == "-1" ? fmt::format("process {}", pid) : std::string(pid);
    // Negative pids are invented by the profiler and carry no meaning.
    return pid.empty() || pid.front() == '-' ? std::string(name)
                                             : fmt::format("{} · {}", name, pid);
}

// With several files, includes the name of the process's file.
std::string process_title(const Trace& trace, const Process& process) {
    std::string title = title_in_file(trace, process);
    return trace.parts.size() > 1 ? fmt::format("{} · {}", trace.parts[process.part].name, title)
                                  : title;
}

bool is_grouped_by_stream(const LaneArrangement& arrangement, const Lane& lane) {
    return arrangement.grouping == LaneGrouping::stream &&
           (lane.kind == LaneKind::stream || lane.derived);
}

// All lanes in file order, each derived lane directly below its origin; calls are above the work
// that they launch.
std::vector<LaneId> lanes_in_order(const Trace& trace) {
    std::vector<LaneId> order;
    std::vector<LaneId> derived;
    for (LaneId id = 0; id < trace.lanes.size(); ++id)
        (trace.lanes[id].derived ? derived : order).push_back(id);
    for (const LaneId id : derived) {
        const Lane* const lane = origin_of(trace, trace.lanes[id]);
        const auto origin =
            std::ranges::find_if(order, [&](LaneId other) { return &trace.lanes[other] == lane; });
        const bool above = trace.lanes[id].kind == LaneKind::replay;
        order.insert(origin == order.end() || above ? origin : origin + 1, id);
    }
    return order;
}

// Sorts the items listed in `order` by their position in it; all others follow in their old order.
template <typename Item, typename Key>
void put_in_order(std::vector<Item>& items, const std::vector<Key>& order, auto key_of) {
    if (order.empty()) return;
    std::unordered_map<Key, std::size_t> place;
    for (std::size_t i = 0; i < order.size(); ++i) place.emplace(order[i], i);
    const auto rank = [&](const Item& item) {
        const auto found = place.find(key_of(item));
        return found == place.end() ? order.size() : found->second;
    };
    std::ranges::stable_sort(items, {}, rank);
}

// Moves `item` directly before or after `neighbor`; false if either is missing.
template <typename Item>
bool move_beside(std::vector<Item>& items, Item item, const Item& neighbor, bool after) {
    if (item == neighbor || std::ranges::count(items, neighbor) == 0) return false;
    const auto from = std::ranges::find(items, item);
    if (from == items.end()) return false;
    items.erase(from);
    items.insert(std::ranges::find(items, neighbor) + (after ? 1 : 0), std::move(item));
    return true;
}

}  // namespace

std::string_view short_device_name(std::string_view name) {
    constexpr std::size_t kRoom = 11;
    name = without_memory_size(name);
    for (const std::string_view word : {"NVIDIA ", "AMD ", "Instinct ", "GeForce "})
        if (name.size() > kRoom && name.starts_with(word)) name.remove_prefix(word.size());
    return name;
}

bool is_empty_lane(const Lane& lane) {
    return lane.slice_count == 0 && (!lane.instants || lane.instants->time.empty()) &&
           (!lane.counter || lane.counter->time.empty());
}

bool is_foldable(const Lane& lane) {
    return lane.depth_count > 1 || lane.counter;
}

std::string lane_title(const Trace& trace, const LaneArrangement& arrangement, LaneId id) {
    const Lane& lane = trace.lanes[id];
    if (is_grouped_by_stream(arrangement, lane) && !lane.derived)
        return process_title(trace, trace.processes[lane.process]);
    return std::string(trace.strings[lane.name]);
}

std::vector<LaneGroup> lane_groups(const Trace& trace, const LaneArrangement& arrangement) {
    std::vector<LaneGroup> groups;
    std::unordered_map<std::string, std::size_t> places;
    for (const LaneId id : lanes_in_order(trace)) {
        const Lane& lane = trace.lanes[id];
        if (is_empty_lane(lane)) continue;
        const Process& process = trace.processes[lane.process];
        const bool by_stream = is_grouped_by_stream(arrangement, lane);
        std::string key = by_stream
                              ? fmt::format("stream {}", trace.strings[lane.tid])
                              : fmt::format("process {} {}", trace.strings[process.pid],
                                            process.is_gpu ? "" : trace.strings[process.name]);
        if (!by_stream && trace.parts.size() > 1)
            key = fmt::format("{} of {}", key, trace.parts[process.part].key);
        const auto [place, is_new] = places.emplace(key, groups.size());
        if (is_new) {
            LaneGroup& group = groups.emplace_back();
            group.name =
                by_stream ? std::string(trace.strings[lane.name]) : process_title(trace, process);
            group.key = std::move(key);
            group.process = lane.process;
            group.is_gpu = process.is_gpu;
        }
        groups[place->second].lanes.push_back(id);
    }
    for (LaneGroup& group : groups)
        put_in_order(group.lanes, arrangement.order, [](LaneId lane) { return lane; });
    put_in_order(groups, arrangement.group_order, [](const LaneGroup& g) { return g.key; });
    return groups;
}

const LaneGroup* group_of(const std::vector<LaneGroup>& groups, LaneId lane) {
    for (const LaneGroup& group : groups)
        if (std::ranges::count(group.lanes, lane) > 0) return &group;
    return nullptr;
}

void place_lane(LaneArrangement& arrangement, const Trace& trace, LaneId lane, LaneId neighbor,
                bool after) {
    const std::vector<LaneGroup> groups = lane_groups(trace, arrangement);
    const LaneGroup* const group = group_of(groups, lane);
    if (!group) return;
    std::vector<LaneId> lanes = group->lanes;
    if (!move_beside(lanes, lane, neighbor, after)) return;
    std::erase_if(arrangement.order, [&](LaneId id) { return std::ranges::count(lanes, id) > 0; });
    arrangement.order.insert(arrangement.order.end(), lanes.begin(), lanes.end());
}

void move_lane(LaneArrangement& arrangement, const Trace& trace, LaneId lane, int step) {
    const std::vector<LaneGroup> groups = lane_groups(trace, arrangement);
    const LaneGroup* const group = group_of(groups, lane);
    if (!group) return;
    const auto is_pinned = [&](LaneId id) {
        return std::ranges::count(arrangement.pinned, id) > 0;
    };
    const bool pinned = is_pinned(lane);
    std::vector<LaneId> seen;  // in the same area
    for (const LaneId id : pinned ? arrangement.pinned : group->lanes) {
        const bool shown = !arrangement.hidden.contains(id) && !arrangement.quiet.contains(id);
        if (id == lane || (shown && is_pinned(id) == pinned && group_of(groups, id) == group))
            seen.push_back(id);
    }
    const auto at = std::ranges::find(seen, lane);
    if (step < 0 ? at == seen.begin() : at + 1 == seen.end()) return;
    const LaneId neighbor = step < 0 ? *(at - 1) : *(at + 1);
    if (pinned)
        move_beside(arrangement.pinned, lane, neighbor, step > 0);
    else
        place_lane(arrangement, trace, lane, neighbor, step > 0);
}

void place_group(LaneArrangement& arrangement, const Trace& trace, std::string_view key,
                 std::string_view neighbor, bool after) {
    std::vector<std::string> keys;
    for (const LaneGroup& group : lane_groups(trace, arrangement)) keys.push_back(group.key);
    if (move_beside(keys, std::string(key), std::string(neighbor), after))
        arrangement.group_order = std::move(keys);
}

void toggle_pin(LaneArrangement& arrangement, LaneId lane) {
    if (std::erase(arrangement.pinned, lane) == 0) arrangement.pinned.push_back(lane);
}

double lane_height(const LaneArrangement& arrangement, LaneId lane, const Lane& shown) {
    if (shown.counter) {
        const auto own = arrangement.curve_heights.find(lane);
        return own == arrangement.curve_heights.end() ? 1 : own->second;
    }
    const auto max_rows = arrangement.most_rows.find(lane);
    return max_rows == arrangement.most_rows.end() ? shown.depth_count
                                                   : std::min(max_rows->second, shown.depth_count);
}

void set_lane_height(LaneArrangement& arrangement, LaneId lane, const Lane& shown, double height) {
    if (shown.counter) {
        arrangement.curve_heights[lane] = std::clamp(height, 0.5, 10.0);
        return;
    }
    const auto all = static_cast<double>(std::max(shown.depth_count, 1U));
    const auto rows = static_cast<uint32_t>(std::clamp(std::round(height), 1.0, all));
    if (rows >= shown.depth_count)
        arrangement.most_rows.erase(lane);
    else
        arrangement.most_rows[lane] = rows;
}

void uncover(LaneArrangement& arrangement, const Trace& trace, LaneId lane, uint32_t depth) {
    arrangement.hidden.erase(lane);
    arrangement.quiet.erase(lane);
    if (depth > 0) arrangement.folded.erase(lane);
    const auto rows = arrangement.most_rows.find(lane);
    if (rows != arrangement.most_rows.end() && depth >= rows->second)
        arrangement.most_rows.erase(rows);
    if (arrangement.folded_groups.empty()) return;
    const std::vector<LaneGroup> groups = lane_groups(trace, arrangement);
    if (const LaneGroup* group = group_of(groups, lane))
        arrangement.folded_groups.erase(group->key);
}

Result<LaneArrangement> only_lanes(const Trace& trace, std::string_view expression) {
    const RE2 pattern(re2::StringPiece(expression.data(), expression.size()), RE2::Quiet);
    if (!pattern.ok())
        return Error{ErrorCode::usage, Error::no_offset,
                     "The regular expression for lanes cannot be read: " + pattern.error() + "."};
    const auto fits = [&](const std::string& name) { return RE2::PartialMatch(name, pattern); };
    LaneArrangement arrangement;
    arrangement.omits_hidden = true;
    bool any = false;
    for (const LaneGroup& group : lane_groups(trace, arrangement)) {
        if (fits(group.name)) {
            any = true;
            continue;
        }
        for (const LaneId lane : group.lanes) {
            if (fits(lane_title(trace, arrangement, lane)))
                any = true;
            else
                arrangement.hidden.insert(lane);
        }
    }
    if (!any)
        return Error{ErrorCode::usage, Error::no_offset,
                     "No lane and no group of lanes matches " + std::string(expression) + "."};
    return arrangement;
}

}  // namespace lanescope
