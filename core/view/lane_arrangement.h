// LaneArrangement: how the user has put the lanes: folded, hidden, pinned, in another order, of
// another height, in other groups, and with fewer slices.
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
    stream,   // streams of the same number together, over all devices; the rest by process
};

struct LaneArrangement {
    std::set<std::string> folded_groups;  // by LaneGroup::key
    std::set<LaneId> folded;
    std::set<LaneId> hidden;
    bool nothing_of_hidden = false;          // neither lines nor groups tell of them: a picture
    std::vector<LaneId> pinned;              // from the top down
    std::vector<LaneId> order;               // of groups whose lanes were moved: all their lanes
    std::vector<std::string> group_order;    // likewise, all groups
    std::map<LaneId, double> curve_heights;  // times the usual one
    std::map<LaneId, uint32_t> most_rows;    // of a deep lane
    LaneGrouping grouping = LaneGrouping::process;
    LaneFilter filter;

    friend bool operator==(const LaneArrangement&, const LaneArrangement&) = default;
};

// Lanes that stand under one head.
struct LaneGroup {
    std::string key;       // the same each time the trace is opened
    std::string name;      // "python · 19392", "GPU 0 · NVIDIA H100", "stream 7"
    uint32_t process = 0;  // row of Trace::processes, of the first lane
    bool is_gpu = false;
    std::vector<LaneId> lanes;  // with the hidden ones
};

// All groups and lanes that hold anything, in the order in which they are to stand.
std::vector<LaneGroup> lane_groups(const Trace& trace, const LaneArrangement& arrangement);
// The group of a lane, or null.
const LaneGroup* group_of(const std::vector<LaneGroup>& groups, LaneId lane);
bool is_empty_lane(const Lane& lane);
// Deeper than a row, or a curve.
bool is_foldable(const Lane& lane);
// How a lane is called under its head: by streams, those of a stream by their device.
std::string lane_title(const Trace& trace, const LaneArrangement& arrangement, LaneId lane);

// Puts a lane right before, or after, another of its group; nothing for lanes of two groups.
void place_lane(LaneArrangement& arrangement, const Trace& trace, LaneId lane, LaneId beside,
                bool after);
// Moves it past the next lane of its group that is not hidden: -1 up, 1 down.
void move_lane(LaneArrangement& arrangement, const Trace& trace, LaneId lane, int by);
void place_group(LaneArrangement& arrangement, const Trace& trace, std::string_view key,
                 std::string_view beside, bool after);
void toggle_pin(LaneArrangement& arrangement, LaneId lane);
// How high a lane stands: the rows that are shown of it, or times the usual height of a curve.
// `shown` is the lane with the rows that a filter leaves of it. Setting it keeps it in its bounds.
double lane_height(const LaneArrangement& arrangement, LaneId lane, const Lane& shown);
void set_lane_height(LaneArrangement& arrangement, LaneId lane, const Lane& shown, double height);
// Unfolds and unhides whatever keeps a lane, and in it a depth, from being seen.
void uncover(LaneArrangement& arrangement, const Trace& trace, LaneId lane, uint32_t depth);

// Hides every lane but those whose name, or whose group's, fits the regular expression (RE2's) in
// any part. Errors: it cannot be read, or no lane fits.
Result<LaneArrangement> only_lanes(const Trace& trace, std::string_view expression);

// The arrangement as text (JSON), and back. Lanes are named by what the file says of them, so it
// holds for another opening of the same trace, and for snapshots of one that is loading; lanes that
// the trace does not have are left out. Errors: no such text.
std::string arrangement_text(const LaneArrangement& arrangement, const Trace& trace);
Result<LaneArrangement> parse_arrangement(std::string_view text, const Trace& trace);

}  // namespace lanescope
