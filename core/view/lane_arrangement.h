// LaneArrangement: the user's arrangement of lanes: folded, hidden, pinned, reordered, resized,
// regrouped, and with slices filtered out.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"
#include "core/view/shown_lanes.h"

namespace lanescope {

enum class LaneGrouping : uint8_t {
    process,  // by process or device
    stream,   // streams of the same number together, over all devices; other lanes by process
};

struct LaneArrangement {
    std::set<std::string> folded_groups;  // by LaneGroup::key
    std::set<LaneId> folded;
    std::set<LaneId> hidden;
    std::set<LaneId> quiet;      // represented by one row of their group, which a click opens
    bool omits_hidden = false;   // for a picture: the layout does not mention hidden lanes
    std::vector<LaneId> pinned;  // below the others; within each group from the top down
    double dock_height = 0;      // of the pinned lanes, at scale 1; 0: by their number
    std::vector<LaneId> order;   // of groups with moved lanes: all their lanes
    std::vector<std::string> group_order;    // likewise: the order of all groups
    std::map<LaneId, double> curve_heights;  // as a multiple of the default height
    std::map<LaneId, uint32_t> most_rows;    // maximum number of rows of a deep lane
    LaneGrouping grouping = LaneGrouping::process;
    LaneFilter filter;
    // Lanes have all their rows in every view; else those that it needs, see view_rows.h.
    bool all_rows = false;

    friend bool operator==(const LaneArrangement&, const LaneArrangement&) = default;
};

// Lanes under one heading.
struct LaneGroup {
    std::string key;       // the same each time the trace is opened
    std::string name;      // "python · 19392", "GPU 0 · NVIDIA H100", "stream 7"
    uint32_t process = 0;  // row of Trace::processes, for the first lane
    bool is_gpu = false;
    std::vector<LaneId> lanes;  // including hidden lanes
};

// "NVIDIA H100 80GB HBM3" → "NVIDIA H100", "NVIDIA A100-SXM4-80GB" → "A100-SXM4": the memory size
// is not needed to distinguish devices, and the vendor's words have no room beside longer names.
std::string_view short_device_name(std::string_view name);

// All groups and lanes that are not empty, in display order.
std::vector<LaneGroup> lane_groups(const Trace& trace, const LaneArrangement& arrangement);
// The group of a lane, or null.
const LaneGroup* group_of(const std::vector<LaneGroup>& groups, LaneId lane);
bool is_empty_lane(const Lane& lane);
// Whether the lane has more than one row, or is a curve.
bool is_foldable(const Lane& lane);
// A lane's title below its group's heading; grouped by streams, lanes of a stream have the title of
// their device.
std::string lane_title(const Trace& trace, const LaneArrangement& arrangement, LaneId lane);

// Places a lane directly before or after another lane of its group; does nothing for lanes of
// different groups.
void place_lane(LaneArrangement& arrangement, const Trace& trace, LaneId lane, LaneId neighbor,
                bool after);
// Moves a lane past the next visible lane of its group: -1 up, 1 down.
void move_lane(LaneArrangement& arrangement, const Trace& trace, LaneId lane, int step);
void place_group(LaneArrangement& arrangement, const Trace& trace, std::string_view key,
                 std::string_view neighbor, bool after);
void toggle_pin(LaneArrangement& arrangement, LaneId lane);
// The height of a lane: the number of rows shown, or a multiple of a curve's default height.
// `shown` is the lane with the rows that a filter leaves. The setter clamps to valid heights.
double lane_height(const LaneArrangement& arrangement, LaneId lane, const Lane& shown);
void set_lane_height(LaneArrangement& arrangement, LaneId lane, const Lane& shown, double height);
// Unfolds and shows whatever hides a lane (or a depth in it).
void uncover(LaneArrangement& arrangement, const Trace& trace, LaneId lane, uint32_t depth);

// Hides all lanes except those whose name or group's name contains a match of the regular
// expression (RE2). Errors: the expression is invalid, or no lane matches.
Result<LaneArrangement> only_lanes(const Trace& trace, std::string_view expression);

// Converts the arrangement to text (JSON) and back. Lanes are identified by names in the file, so
// the text also applies to other openings of the same trace, and to snapshots during a load; lanes
// that the trace does not have are ignored. Errors: invalid text. Of a text of version 1, which
// pinned lanes above the others, everything but the pinned lanes is used.
std::string arrangement_text(const LaneArrangement& arrangement, const Trace& trace);
Result<LaneArrangement> parse_arrangement(std::string_view text, const Trace& trace);
// Whether the text is of version 1.
bool is_old_arrangement(std::string_view text);

}  // namespace lanescope
