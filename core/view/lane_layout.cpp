#include "core/view/lane_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

namespace lanescope {

namespace {

bool is_empty(const Lane& lane) {
    return lane.slice_count == 0 && (!lane.instants || lane.instants->time.empty()) &&
           (!lane.counter || lane.counter->time.empty());
}

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "NVIDIA H100 80GB HBM3" → "NVIDIA H100": the memory is not what tells devices apart at a glance.
std::string_view short_device_name(std::string_view name) {
    for (std::size_t space = name.find(' '); space != std::string_view::npos;
         space = name.find(' ', space + 1)) {
        const std::string_view rest = name.substr(space + 1);
        const std::size_t digits = rest.find_first_not_of("0123456789");
        if (digits != 0 && digits != std::string_view::npos &&
            rest.substr(digits).starts_with("GB"))
            return name.substr(0, space);
    }
    return name;
}

std::string group_name(const Trace& trace, const Process& process) {
    const std::string_view name = trace.strings[process.name];
    const std::string_view pid = trace.strings[process.pid];
    if (process.is_gpu) {
        std::string gpu =
            process.device >= 0 ? fmt::format("GPU {}", process.device) : std::string("GPU");
        const auto device = std::ranges::find_if(
            trace.devices, [&](const Device& d) { return d.id == process.device; });
        if (process.device >= 0 && device != trace.devices.end() && !device->name.empty())
            return fmt::format("{} · {}", gpu, short_device_name(device->name));
        return gpu;
    }
    if (name.empty() && pid.empty()) return "no process";
    if (name.empty() || name == pid)
        return is_number(pid) ? fmt::format("process {}", pid) : std::string(pid);
    return pid.empty() ? std::string(name) : fmt::format("{} · {}", name, pid);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string group_detail(const Trace& trace, uint32_t process, const std::vector<LaneId>& lanes) {
    std::array<std::size_t, 4> count{};
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
    return lane.depth_count > 1 ? "nested calls" : "calls";
}

class Builder {
  public:
    Builder(const Trace& trace, const FoldState& folded, const Measures& measures)
        : trace_(trace), folded_(folded), measures_(measures) {}

    LaneLayout build() {
        std::vector<LaneId> shown;
        for (LaneId first = 0; first < trace_.lanes.size();) {
            const uint32_t process = trace_.lanes[first].process;
            shown.clear();
            LaneId next = first;
            for (; next < trace_.lanes.size() && trace_.lanes[next].process == process; ++next) {
                if (!is_empty(trace_.lanes[next])) shown.push_back(next);
            }
            if (!shown.empty()) add_group(process, shown);
            first = next;
        }
        layout_.height = y_;
        layout_.fingerprint = fingerprint();
        return std::move(layout_);
    }

  private:
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

    void add_group(uint32_t process, const std::vector<LaneId>& lanes) {
        GroupBox group;
        group.process = process;
        group.is_gpu = trace_.processes[process].is_gpu;
        group.collapsed = folded_.processes.contains(process);
        group.name = group_name(trace_, trace_.processes[process]);
        group.detail = group_detail(trace_, process, lanes);
        group.y = y_;
        group.head_row = static_cast<uint32_t>(layout_.rows.size());
        group.lane_begin = static_cast<uint32_t>(layout_.lanes.size());
        layout_.groups.push_back(std::move(group));
        add_row(RowKind::group_head, 0, measures_.group_head, 0);
        GroupBox& added = layout_.groups.back();
        if (!added.collapsed) {
            for (const LaneId lane : lanes) add_lane(lane);
        }
        added.lane_end = static_cast<uint32_t>(layout_.lanes.size());
        added.height = y_ - added.y;
    }

    void add_lane(LaneId id) {
        const Lane& lane = trace_.lanes[id];
        LaneBox box;
        box.id = id;
        box.group = static_cast<uint32_t>(layout_.groups.size()) - 1;
        box.collapsed = folded_.lanes.contains(id);
        box.name = trace_.strings[lane.name];
        box.detail = lane_detail(lane);
        box.row_begin = static_cast<uint32_t>(layout_.rows.size());
        box.y = y_;
        layout_.lanes.push_back(std::move(box));
        y_ += measures_.lane_gap;
        add_lane_rows(lane, layout_.lanes.back().collapsed);
        LaneBox& added = layout_.lanes.back();
        const double least = added.collapsed ? measures_.collapsed_lane : measures_.lane_head;
        y_ = std::max(y_, added.y + measures_.lane_gap + least) + measures_.lane_gap;
        added.row_end = static_cast<uint32_t>(layout_.rows.size());
        added.height = y_ - added.y;
    }

    void add_lane_rows(const Lane& lane, bool collapsed) {
        if (lane.counter && !lane.counter->time.empty()) {
            add_row(RowKind::counter, 0,
                    collapsed ? measures_.collapsed_lane : measures_.counter_row,
                    measures_.row_gap);
            return;
        }
        const bool has_instants = lane.instants && !lane.instants->time.empty();
        if (has_instants && (!collapsed || lane.slice_count == 0))
            add_row(RowKind::instants, 0, measures_.instant_row, measures_.row_gap);
        const double height =
            lane.kind == LaneKind::stream ? measures_.kernel_row : measures_.slice_row;
        const uint32_t depths = collapsed ? std::min(lane.depth_count, 1U) : lane.depth_count;
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
        return hash;
    }

    const Trace& trace_;
    const FoldState& folded_;
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
    const auto box = std::ranges::lower_bound(lanes, lane, {}, &LaneBox::id);
    if (box == lanes.end() || box->id != lane) return none;
    for (uint32_t row = box->row_begin; row < box->row_end; ++row) {
        if (rows[row].kind == RowKind::slices)
            return row + depth < box->row_end ? row + depth : none;
    }
    return none;
}

std::vector<LaneId> lanes_between(const Trace& trace, const LaneLayout& layout, double y0,
                                  double y1) {
    const double top = std::min(y0, y1);
    const double bottom = std::max(y0, y1);
    std::vector<LaneId> lanes;
    for (const LaneBox& box : layout.lanes)
        if (box.y <= bottom && box.y + box.height > top) lanes.push_back(box.id);
    const bool heads_only = lanes.empty();
    for (const GroupBox& group : layout.groups) {
        const LayoutRow& head = layout.rows[group.head_row];
        if (head.y > bottom || head.y + head.height <= top) continue;
        if (!group.collapsed && !heads_only) continue;
        for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
            if (trace.lanes[lane].process == group.process && !is_empty(trace.lanes[lane]))
                lanes.push_back(lane);
    }
    std::ranges::sort(lanes);
    return lanes;
}

LaneLayout build_layout(const Trace& trace, const FoldState& folded, const Measures& measures) {
    return Builder(trace, folded, measures).build();
}

}  // namespace lanescope
