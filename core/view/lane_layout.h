// LaneLayout: the vertical positions of rows. Rows are ordered from top to bottom without overlap;
// the space between them belongs to no row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"
#include "core/view/lane_arrangement.h"
#include "core/view/view_rows.h"

namespace lanescope {

// Heights in pixels for an interface scale of 1.
struct Measures {
    double slice_row = 19;   // height of a row with the gap below it
    double kernel_row = 24;  // height of a row on GPU streams
    double row_gap = 2;      // space below the slices of a row
    double group_head = 22;
    double counter_row = 40;
    double instant_row = 12;
    double lane_gap = 6;    // space above and below the rows of a lane
    double lane_head = 34;  // minimum height of a lane: its name and a second line
    // Minimum height of a stream beside the name of a folded GPU; twice that for one or two GPUs.
    double summary_row = 6;
    double collapsed_lane = 19;  // minimum height of a lane folded to one row
};
Measures scaled(const Measures& measures, double scale);

enum class RowKind : uint8_t {
    // Heading of a process or device: name and details. Without height for a folded GPU, whose
    // busiest streams are drawn beside its name instead.
    group_head,
    slices,    // one depth of a lane
    instants,  // the instants of a lane
    counter,   // a curve
    more,      // represents the quiet lanes of a group
};

// Whether the row belongs to a group and to none of its lanes.
inline bool is_of_group(RowKind kind) {
    return kind == RowKind::group_head || kind == RowKind::more;
}

struct LayoutRow {
    RowKind kind = RowKind::slices;
    uint32_t group = 0;  // in LaneLayout::groups
    // In LaneLayout::lanes; of a group's heading and of `more`: the number of lanes before it.
    uint32_t lane = 0;
    uint32_t depth = 0;
    // The number of outer calls that the row represents, ending with the one of `depth`; 0: only
    // the slices of `depth`.
    uint32_t outer = 0;
    double y = 0;       // top of the row, from the top of the layout
    double height = 0;  // of the drawn part, without the gap
};

// The label of a slice: its name, after the number of the outer calls that its row represents.
std::string slice_label(const LayoutRow& row, std::string_view name);

struct LaneBox {
    LaneId id = 0;
    uint32_t group = 0;
    uint32_t row_begin = 0;  // in LaneLayout::rows
    uint32_t row_end = 0;
    double y = 0;  // including the gaps above and below
    double height = 0;
    bool collapsed = false;    // only the outermost row is shown
    bool in_head = false;      // a stream beside the name of its folded GPU; has no head
    uint32_t hidden_rows = 0;  // deeper rows, if the user limited the number of rows
    std::string name;
    std::string detail;  // "nested calls", "kernels", …
};

struct GroupBox {
    uint32_t process = 0;     // row of Trace::processes
    uint32_t lane_begin = 0;  // in LaneLayout::lanes; collapsed: only a GPU's busiest streams
    uint32_t lane_end = 0;
    uint32_t head_row = 0;  // in LaneLayout::rows
    double y = 0;           // of the head
    double height = 0;      // of the head and the lanes
    bool collapsed = false;
    bool is_gpu = false;
    uint32_t hidden = 0;    // lanes that the user hid
    uint32_t quiet = 0;     // lanes that `more_row` represents
    uint32_t more_row = 0;  // in LaneLayout::rows, if there are quiet lanes
    std::string key;        // LaneGroup::key
    std::string name;       // "python · 19392", "GPU 0 · NVIDIA H100"
    std::string detail;     // "CPU", "3 streams"
};

// The line that represents the quiet lanes of a group: "4 more threads".
std::string quiet_line(const GroupBox& group);

struct LaneLayout {
    std::vector<GroupBox> groups;
    std::vector<LaneBox> lanes;
    std::vector<LayoutRow> rows;   // by y
    std::vector<uint32_t> box_of;  // by lane: its index in `lanes`, or none
    ShownLanesPtr shown;           // what is shown of the lanes
    uint32_t hidden = 0;           // lanes that the user hid; of the main area: all
    bool docked = false;           // the layout of the pinned lanes
    double height = 0;
    uint64_t fingerprint = 0;  // different for layouts that differ in anything relevant

    static constexpr uint32_t none = ~uint32_t{0};
    // The row whose drawn part contains `y`, or none.
    uint32_t row_at(double y) const;
    // The first row that ends below `y` (rows.size() if there is none).
    uint32_t first_row_below(double y) const;
    // The lane whose box contains `y`, or none.
    uint32_t lane_at(double y) const;
    // The row of a lane's displayed `depth`, or none.
    uint32_t row_of(LaneId lane, uint32_t depth) const;
};

// The group before (-1) or after (1) a group of the layout; null: none.
const GroupBox* neighbour_group(const LaneLayout& layout, std::string_view key, int step);

// The lanes between two heights, given in any order; ascending. A group's heading represents all
// lanes of the group if it is folded, or if only the heading is between the heights.
std::vector<LaneId> lanes_between(const Trace& trace, const LaneArrangement& arrangement,
                                  const LaneLayout& layout, double y0, double y1);

// All lanes that are not pinned. Lanes without slices, instants and samples, and groups without
// lanes, take no space. `rows` are the rows that the view needs; by default, all rows.
LaneLayout build_layout(const Trace& trace, const LaneArrangement& arrangement,
                        const Measures& measures, ShownLanesPtr shown = nullptr,
                        const ViewRows& rows = {});
// The layout of the pinned lanes, under the headings of their groups; without rows if no lane is
// pinned.
LaneLayout build_pinned_layout(const Trace& trace, const LaneArrangement& arrangement,
                               const Measures& measures, ShownLanesPtr shown = nullptr);

}  // namespace lanescope
