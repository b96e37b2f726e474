#include "core/view/lane_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/trace/derived_lanes.h"

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
    if (lane.kind == LaneKind::replay) return "captured calls";
    return lane.depth_count > 1 ? "nested calls" : "calls";
}

// Streams beside the name of a folded GPU: more would be too thin to see.
constexpr std::size_t kMaxSummaryRows = 4;
constexpr std::ptrdiff_t kFewGpus = 2;

class Builder {
  public:
    Builder(const Trace& trace, const LaneArrangement& arrangement, const Measures& measures,
            ShownLanesPtr shown, ViewRows rows)
        : trace_(trace), arrangement_(arrangement), measures_(measures), rows_(std::move(rows)) {
        layout_.shown = std::move(shown);
        layout_.box_of.assign(trace.lanes.size(), LaneLayout::none);
    }

    LaneLayout build(bool docked) {
        layout_.docked = docked;
        std::vector<bool> pinned(trace_.lanes.size());
        for (const LaneId lane : arrangement_.pinned)
            if (lane < pinned.size()) pinned[lane] = true;
        std::vector<LaneGroup> groups = lane_groups(trace_, arrangement_);
        gpus_ = std::ranges::count_if(groups, &LaneGroup::is_gpu);
        for (LaneGroup& group : groups) {
            // Only the main area has a line for hidden lanes.
            for (const LaneId lane : group.lanes)
                if (!docked && pinned[lane] && is_counted_as_hidden(lane)) ++layout_.hidden;
            std::erase_if(group.lanes, [&](LaneId lane) { return pinned[lane] != docked; });
            if (group.lanes.empty()) continue;
            if (docked) put_in_pinned_order(group.lanes);
            add_group(group);
        }
        return finish();
    }

  private:
    LaneLayout finish() {
        // Space for the line that gives the number of hidden lanes.
        if (layout_.hidden > 0 && !layout_.docked) y_ += measures_.group_head;
        layout_.height = y_;
        layout_.fingerprint = fingerprint();
        return std::move(layout_);
    }

    void add_row(RowKind kind, uint32_t depth, double height, double gap) {
        LayoutRow row;
        row.kind = kind;
        row.group = static_cast<uint32_t>(layout_.groups.size()) - 1;
        row.lane = static_cast<uint32_t>(layout_.lanes.size()) - (is_of_group(kind) ? 0 : 1);
        row.depth = depth;
        row.y = y_;
        row.height = height - gap;
        layout_.rows.push_back(row);
        y_ += height;
    }

    bool is_counted_as_hidden(LaneId lane) const {
        return !arrangement_.omits_hidden && arrangement_.hidden.contains(lane);
    }

    void put_in_pinned_order(std::vector<LaneId>& lanes) const {
        std::vector<LaneId> ordered;
        for (const LaneId lane : arrangement_.pinned)
            if (std::ranges::count(lanes, lane) > 0 && std::ranges::count(ordered, lane) == 0)
                ordered.push_back(lane);
        lanes = std::move(ordered);
    }

    void add_group(const LaneGroup& from) {
        std::vector<LaneId> shown;
        for (const LaneId lane : from.lanes) {
            if (is_empty_lane(shown_lane(trace_, layout_.shown, lane))) continue;
            if (!arrangement_.hidden.contains(lane)) shown.push_back(lane);
        }
        const std::size_t hidden = std::ranges::count_if(
            from.lanes, [&](LaneId lane) { return arrangement_.hidden.contains(lane); });
        if (hidden == from.lanes.size()) {
            if (!arrangement_.omits_hidden) layout_.hidden += static_cast<uint32_t>(hidden);
            return;
        }
        if (arrangement_.omits_hidden && shown.empty()) return;
        GroupBox group;
        group.process = from.process;
        group.is_gpu = from.is_gpu;
        group.key = from.key;
        group.collapsed = arrangement_.folded_groups.contains(from.key);
        group.name = from.name;
        if (!arrangement_.omits_hidden) group.hidden = static_cast<uint32_t>(hidden);
        layout_.hidden += group.hidden;
        group.detail = group_detail(trace_, from.process, from.lanes);
        if (group.hidden > 0)
            group.detail += fmt::format("{}{} hidden", group.detail.empty() ? "" : " · ",
                                        counted(group.hidden, "lane", "lanes"));
        group.y = y_;
        group.head_row = static_cast<uint32_t>(layout_.rows.size());
        group.lane_begin = static_cast<uint32_t>(layout_.lanes.size());
        layout_.groups.push_back(std::move(group));
        GroupBox& added = layout_.groups.back();
        const std::vector<LaneId> beside_name =
            added.collapsed ? busiest_streams(shown) : std::vector<LaneId>();
        add_row(RowKind::group_head, 0, beside_name.empty() ? measures_.group_head : 0, 0);
        if (!added.collapsed) {
            for (const LaneId lane : shown)
                if (!arrangement_.quiet.contains(lane)) add_lane(lane);
            add_more(from.lanes);
        }
        add_summary(beside_name);
        added.lane_end = static_cast<uint32_t>(layout_.lanes.size());
        added.height = y_ - added.y;
    }

    // A GPU's streams with most slices, in their order; empty for other groups.
    std::vector<LaneId> busiest_streams(const std::vector<LaneId>& lanes) const {
        std::vector<LaneId> streams;
        for (const LaneId lane : lanes)
            if (trace_.lanes[lane].kind == LaneKind::stream && trace_.lanes[lane].slice_count > 0)
                streams.push_back(lane);
        while (streams.size() > kMaxSummaryRows)
            streams.erase(std::ranges::min_element(
                streams, {}, [&](LaneId lane) { return trace_.lanes[lane].slice_count; }));
        return streams;
    }

    // One row for all quiet lanes, even if a filter leaves nothing of them.
    void add_more(const std::vector<LaneId>& lanes) {
        const auto quiet = std::ranges::count_if(lanes, [&](LaneId lane) {
            return arrangement_.quiet.contains(lane) && !arrangement_.hidden.contains(lane);
        });
        if (quiet == 0) return;
        layout_.groups.back().quiet = static_cast<uint32_t>(quiet);
        layout_.groups.back().more_row = static_cast<uint32_t>(layout_.rows.size());
        add_row(RowKind::more, 0, measures_.group_head, 0);
    }

    // Annotations of GPU work are above the work itself.
    uint32_t depth_of_work(LaneId stream) const {
        const Lane& lane = shown_lane(trace_, layout_.shown, stream);
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i)
                switch (trace_.event_class(chunk->name[i], chunk->category[i])) {
                    case EventClass::kernel:
                    case EventClass::memory:
                    case EventClass::communication:
                        return chunk->depth(i);
                    default:
                        break;
                }
        return 0;
    }

    void add_summary(const std::vector<LaneId>& streams) {
        const double height = std::max(
            measures_.summary_row * (gpus_ > kFewGpus ? 1 : 2),
            measures_.kernel_row / static_cast<double>(std::max<std::size_t>(1, streams.size())));
        for (const LaneId stream : streams) {
            LaneBox& box = add_box(stream);
            box.collapsed = box.in_head = true;
            add_row(RowKind::slices, depth_of_work(stream), height, measures_.row_gap / 2);
            box.row_end = static_cast<uint32_t>(layout_.rows.size());
            box.height = y_ - box.y;
        }
    }

    LaneBox& add_box(LaneId id) {
        const Lane& lane = shown_lane(trace_, layout_.shown, id);
        LaneBox box;
        box.id = id;
        box.group = static_cast<uint32_t>(layout_.groups.size()) - 1;
        box.collapsed = arrangement_.folded.contains(id);
        box.name = lane_title(trace_, arrangement_, id);
        const DerivedLane* const derived = declaration_of(trace_, lane);
        box.detail = derived ? derived_detail(*derived, lane) : std::string(lane_detail(lane));
        box.row_begin = static_cast<uint32_t>(layout_.rows.size());
        box.y = y_;
        layout_.box_of[id] = static_cast<uint32_t>(layout_.lanes.size());
        return layout_.lanes.emplace_back(std::move(box));
    }

    void add_lane(LaneId id) {
        const Lane& lane = shown_lane(trace_, layout_.shown, id);
        add_box(id);
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

    // Names the origin if the heading above does not.
    std::string derived_detail(const DerivedLane& derived, const Lane& lane) const {
        std::string detail(derived.detail);
        if (const Lane* const origin = origin_of(trace_, lane))
            detail += " · " + lane_title(trace_, arrangement_,
                                         static_cast<LaneId>(origin - trace_.lanes.data()));
        return detail;
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
        const LaneRows needed = rows_needed(box.id, lane);
        uint32_t depth = 0;
        if (needed.outer > 0 && needed.outer < depths) {
            depth = needed.outer;
            add_row(RowKind::slices, depth - 1, height, measures_.row_gap);
            layout_.rows.back().outer = needed.outer;
        }
        for (const uint32_t end = std::min(depths, needed.depths); depth < end; ++depth)
            add_row(RowKind::slices, depth, height, measures_.row_gap);
    }

    LaneRows rows_needed(LaneId id, const Lane& lane) const {
        if (id < rows_.lanes.size()) return rows_.lanes[id];
        return {.outer = 0, .depths = lane.depth_count};
    }

    uint64_t fingerprint() const {
        uint64_t hash = 0xCBF29CE484222325ULL;
        const auto mix = [&hash](uint64_t value) {
            hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
            hash ^= hash >> 29;
        };
        for (const LayoutRow& row : layout_.rows) {
            mix(static_cast<uint64_t>(row.kind) << 32 | row.depth);
            mix(row.outer);
            mix(is_of_group(row.kind) ? row.group : layout_.lanes[row.lane].id);
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
    ViewRows rows_;
    LaneLayout layout_;
    double y_ = 0;
    std::ptrdiff_t gpus_ = 0;
};

}  // namespace

Measures scaled(const Measures& measures, double scale) {
    return {measures.slice_row * scale,   measures.kernel_row * scale,
            measures.row_gap * scale,     measures.group_head * scale,
            measures.counter_row * scale, measures.instant_row * scale,
            measures.lane_gap * scale,    measures.lane_head * scale,
            measures.summary_row * scale, measures.collapsed_lane * scale};
}

std::string slice_label(const LayoutRow& row, std::string_view name) {
    return row.outer > 0 ? fmt::format("{} outer calls · {}", row.outer, name) : std::string(name);
}

std::string quiet_line(const GroupBox& group) {
    return counted(group.quiet, "more thread", "more threads");
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
        if (rows[row].kind != RowKind::slices) continue;
        const uint32_t first = rows[row].depth;
        if (depth < first && rows[row].outer > 0) return row;
        return depth >= first && depth - first < box.row_end - row ? row + depth - first : none;
    }
    return none;
}

const GroupBox* neighbour_group(const LaneLayout& layout, std::string_view key, int step) {
    const auto group = std::ranges::find(layout.groups, key, &GroupBox::key);
    if (group == layout.groups.end()) return nullptr;
    const auto place = group - layout.groups.begin() + step;
    return place >= 0 && place < std::ssize(layout.groups)
               ? &layout.groups[static_cast<std::size_t>(place)]
               : nullptr;
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
        if (found == groups.end()) continue;
        std::ranges::copy_if(found->lanes, std::back_inserter(lanes), [&](LaneId lane) {
            return (std::ranges::count(arrangement.pinned, lane) > 0) == layout.docked;
        });
    }
    std::ranges::sort(lanes);
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    return lanes;
}

LaneLayout build_layout(const Trace& trace, const LaneArrangement& arrangement,
                        const Measures& measures, ShownLanesPtr shown, const ViewRows& rows) {
    return Builder(trace, arrangement, measures, std::move(shown), rows).build(false);
}

LaneLayout build_pinned_layout(const Trace& trace, const LaneArrangement& arrangement,
                               const Measures& measures, ShownLanesPtr shown) {
    // The pinned lanes keep their height: they do not scroll, and must not move the splitter.
    return Builder(trace, arrangement, measures, std::move(shown), {}).build(true);
}

}  // namespace lanescope
