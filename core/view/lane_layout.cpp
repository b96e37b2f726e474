#include "core/view/lane_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/trace/launch_queues.h"

namespace lanescope {

namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string group_detail(const Trace& trace, uint32_t process, const std::vector<LaneId>& lanes) {
    std::array<std::size_t, kLaneKinds> count{};
    for (const LaneId lane : lanes) ++count[static_cast<std::size_t>(trace.lanes[lane].kind)];
    const std::size_t threads = count[static_cast<std::size_t>(LaneKind::thread)];
    const std::size_t streams = count[static_cast<std::size_t>(LaneKind::stream)];
    std::string detail;
    if (!trace.processes[process].is_gpu) detail = trace.strings[trace.processes[process].labels];
    const auto add = [&](const std::string& text) {
        detail += (detail.empty() ? "" : " · ") + text;
    };
    if (streams > 0) add(counted(streams, "stream", "streams"));
    if (threads > 0) add(counted(threads, "thread", "threads"));
    return detail;
}

std::string_view lane_detail(const Lane& lane) {
    if (lane.kind == LaneKind::counter) return "counter";
    if (lane.slice_count == 0) return "instants";
    if (lane.kind == LaneKind::stream) return "kernels";
    if (lane.kind == LaneKind::async) return "async ranges";
    if (lane.kind == LaneKind::samples) return "sampled stacks";
    return lane.depth_count > 1 ? "nested calls" : "calls";
}

constexpr std::string_view kPinned = "pinned";

class Builder {
  public:
    Builder(const Trace& trace, const LaneArrangement& arrangement, const Measures& measures,
            ShownLanesPtr shown)
        : trace_(trace), arrangement_(arrangement), measures_(measures) {
        layout_.shown = std::move(shown);
        layout_.box_of.assign(trace.lanes.size(), LaneLayout::none);
    }

    LaneLayout build() {
        for (const LaneGroup& group : lane_groups(trace_, arrangement_)) add_group(group);
        return finish();
    }

    LaneLayout build_pinned() {
        LaneGroup pinned;
        pinned.key = kPinned;
        pinned.name = "Pinned";
        for (const LaneId lane : arrangement_.pinned)
            if (lane < trace_.lanes.size() && !is_empty_lane(trace_.lanes[lane]))
                pinned.lanes.push_back(lane);
        if (!pinned.lanes.empty()) add_group(pinned);
        return finish();
    }

  private:
    LaneLayout finish() {
        // Space for the line that gives the number of hidden lanes.
        if (layout_.hidden > 0) y_ += measures_.group_head;
        layout_.height = y_;
        layout_.fingerprint = fingerprint();
        return std::move(layout_);
    }

    void add_row(RowKind kind, uint32_t depth, double height, double gap) {
        LayoutRow row;
        row.kind = kind;
        row.group = static_cast<uint32_t>(layout_.groups.size()) - 1;
        row.lane =
            static_cast<uint32_t>(layout_.lanes.size()) - (kind == RowKind::group_head ? 0 : 1);
        row.depth = depth;
        row.y = y_;
        row.height = height - gap;
        layout_.rows.push_back(row);
        y_ += height;
    }

    void add_group(const LaneGroup& from) {
        const bool pinned = from.key == kPinned;
        std::vector<LaneId> shown;
        for (const LaneId lane : from.lanes) {
            if (is_empty_lane(shown_lane(trace_, layout_.shown, lane))) continue;
            if (pinned || !arrangement_.hidden.contains(lane)) shown.push_back(lane);
        }
        if (arrangement_.omits_hidden && shown.empty()) return;
        GroupBox group;
        group.process = from.process;
        group.is_gpu = from.is_gpu;
        group.key = from.key;
        group.collapsed = arrangement_.folded_groups.contains(from.key);
        group.name = from.name;
        for (const LaneId lane : from.lanes)
            if (!pinned && !arrangement_.omits_hidden && arrangement_.hidden.contains(lane))
                ++group.hidden;
        layout_.hidden += group.hidden;
        if (!pinned) group.detail = group_detail(trace_, from.process, from.lanes);
        if (group.hidden > 0)
            group.detail += fmt::format("{}{} hidden", group.detail.empty() ? "" : " · ",
                                        counted(group.hidden, "lane", "lanes"));
        group.y = y_;
        group.head_row = static_cast<uint32_t>(layout_.rows.size());
        group.lane_begin = static_cast<uint32_t>(layout_.lanes.size());
        layout_.groups.push_back(std::move(group));
        add_row(RowKind::group_head, 0, measures_.group_head, 0);
        GroupBox& added = layout_.groups.back();
        if (!added.collapsed) {
            for (const LaneId lane : shown) add_lane(lane);
        }
        added.lane_end = static_cast<uint32_t>(layout_.lanes.size());
        added.height = y_ - added.y;
    }

    void add_lane(LaneId id) {
        const Lane& lane = shown_lane(trace_, layout_.shown, id);
        LaneBox box;
        box.id = id;
        box.group = static_cast<uint32_t>(layout_.groups.size()) - 1;
        box.collapsed = arrangement_.folded.contains(id);
        box.name = lane_title(trace_, arrangement_, id);
        box.detail = lane.derived ? queue_detail(lane) : std::string(lane_detail(lane));
        box.row_begin = static_cast<uint32_t>(layout_.rows.size());
        box.y = y_;
        layout_.box_of[id] = static_cast<uint32_t>(layout_.lanes.size());
        layout_.lanes.push_back(std::move(box));
        y_ += measures_.lane_gap;
        add_lane_rows(lane, layout_.lanes.back());
        LaneBox& added = layout_.lanes.back();
        if (added.hidden_rows > 0)
            added.detail += fmt::format(" · {} more", counted(added.hidden_rows, "row", "rows"));
        const double min_height = added.collapsed ? measures_.collapsed_lane : measures_.lane_head;
        y_ = std::max(y_, added.y + measures_.lane_gap + min_height) + measures_.lane_gap;
        added.row_end = static_cast<uint32_t>(layout_.rows.size());
        added.height = y_ - added.y;
    }

    // Names the stream if the heading above does not.
    std::string queue_detail(const Lane& queue) const {
        const Lane* const stream = stream_of_queue(trace_, queue);
        if (!stream) return "work waiting";
        const LaneId id = static_cast<LaneId>(stream - trace_.lanes.data());
        return "work waiting · " + lane_title(trace_, arrangement_, id);
    }

    void add_lane_rows(const Lane& lane, LaneBox& box) {
        if (lane.counter && !lane.counter->time.empty()) {
            const auto own = arrangement_.curve_heights.find(box.id);
            const double times = own == arrangement_.curve_heights.end() ? 1 : own->second;
            add_row(RowKind::counter, 0,
                    box.collapsed ? measures_.collapsed_lane : measures_.counter_row * times,
                    measures_.row_gap);
            return;
        }
        const bool has_instants = lane.instants && !lane.instants->time.empty();
        if (has_instants && (!box.collapsed || lane.slice_count == 0))
            add_row(RowKind::instants, 0, measures_.instant_row, measures_.row_gap);
        const double height =
            lane.kind == LaneKind::stream ? measures_.kernel_row : measures_.slice_row;
        uint32_t depths = lane.depth_count;
        if (box.collapsed) {
            depths = std::min(depths, 1U);
        } else if (const auto max_rows = arrangement_.most_rows.find(box.id);
                   max_rows != arrangement_.most_rows.end() && max_rows->second < depths) {
            box.hidden_rows = depths - max_rows->second;
            depths = max_rows->second;
        }
        for (uint32_t depth = 0; depth < depths; ++depth)
            add_row(RowKind::slices, depth, height, measures_.row_gap);
    }

    uint64_t fingerprint() const {
        uint64_t hash = 0xCBF29CE484222325ULL;
        const auto mix = [&hash](uint64_t value) {
            hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
            hash ^= hash >> 29;
        };
        for (const LayoutRow& row : layout_.rows) {
            mix(static_cast<uint64_t>(row.kind) << 32 | row.depth);
            mix(row.kind == RowKind::group_head ? row.group : layout_.lanes[row.lane].id);
            mix(std::bit_cast<uint64_t>(row.y));
            mix(std::bit_cast<uint64_t>(row.height));
        }
        mix(std::bit_cast<uint64_t>(layout_.height));
        mix(reinterpret_cast<uintptr_t>(layout_.shown.get()));
        return hash;
    }

    const Trace& trace_;
    const LaneArrangement& arrangement_;
    const Measures& measures_;
    LaneLayout layout_;
    double y_ = 0;
};

}  // namespace

Measures scaled(const Measures& measures, double scale) {
    return {
        measures.slice_row * scale,  measures.kernel_row * scale,  measures.row_gap * scale,
        measures.group_head * scale, measures.counter_row * scale, measures.instant_row * scale,
        measures.lane_gap * scale,   measures.lane_head * scale,   measures.collapsed_lane * scale};
}

uint32_t LaneLayout::first_row_below(double y) const {
    const auto found =
        std::ranges::partition_point(rows, [&](const LayoutRow& r) { return r.y + r.height <= y; });
    return static_cast<uint32_t>(found - rows.begin());
}

uint32_t LaneLayout::row_at(double y) const {
    const uint32_t row = first_row_below(y);
    return row < rows.size() && rows[row].y <= y ? row : none;
}

uint32_t LaneLayout::lane_at(double y) const {
    const auto found =
        std::ranges::partition_point(lanes, [&](const LaneBox& l) { return l.y + l.height <= y; });
    return found != lanes.end() && found->y <= y ? static_cast<uint32_t>(found - lanes.begin())
                                                 : none;
}

uint32_t LaneLayout::row_of(LaneId lane, uint32_t depth) const {
    if (lane >= box_of.size() || box_of[lane] == none || depth == ShownLane::hidden) return none;
    const LaneBox& box = lanes[box_of[lane]];
    for (uint32_t row = box.row_begin; row < box.row_end; ++row) {
        if (rows[row].kind == RowKind::slices)
            return depth < box.row_end - row ? row + depth : none;
    }
    return none;
}

std::vector<LaneId> lanes_between(const Trace& trace, const LaneArrangement& arrangement,
                                  const LaneLayout& layout, double y0, double y1) {
    const double top = std::min(y0, y1);
    const double bottom = std::max(y0, y1);
    std::vector<LaneId> lanes;
    for (const LaneBox& box : layout.lanes)
        if (box.y <= bottom && box.y + box.height > top) lanes.push_back(box.id);
    const bool heads_only = lanes.empty();
    const std::vector<LaneGroup> groups = lane_groups(trace, arrangement);
    for (const GroupBox& group : layout.groups) {
        const LayoutRow& head = layout.rows[group.head_row];
        if (head.y > bottom || head.y + head.height <= top) continue;
        if (!group.collapsed && !heads_only) continue;
        const auto found = std::ranges::find(groups, group.key, &LaneGroup::key);
        const std::vector<LaneId>& of_group =
            found == groups.end() ? arrangement.pinned : found->lanes;
        lanes.insert(lanes.end(), of_group.begin(), of_group.end());
    }
    std::ranges::sort(lanes);
    return lanes;
}

LaneLayout build_layout(const Trace& trace, const LaneArrangement& arrangement,
                        const Measures& measures, ShownLanesPtr shown) {
    return Builder(trace, arrangement, measures, std::move(shown)).build();
}

LaneLayout build_pinned_layout(const Trace& trace, const LaneArrangement& arrangement,
                               const Measures& measures, ShownLanesPtr shown) {
    return Builder(trace, arrangement, measures, std::move(shown)).build_pinned();
}

}  // namespace lanescope
