#include "core/view/lane_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/view/row_walk.h"

namespace lanescope {

namespace {

constexpr double kCells = 256;  // approximate number of cells in which a row is sampled

// Sums the running time of each slot in a row of one lane.
class TimeBySlot {
  public:
    TimeBySlot(const ViewIndex& index, LaneId lane, TimeRange range)
        : slots_(index.slots()), range_(range) {
        // The first chunk begins with the lane.
        if (const LaneSlots* own = index.slots_of(lane)) own_ = own->chunks.front().of_slice;
    }

    void slices(const Chunk& chunk, uint32_t begin, uint32_t end) {
        for (uint32_t i = begin; i < end; ++i)
            add(chunk.start[i], chunk.end(i),
                slot_of(chunk.first + i, chunk.name[i], chunk.category[i]));
    }
    void lone_slice(const LoneSlice& slice) {
        add(slice.start, slice.stop, slot_of(slice.index, slice.name, slice.category));
    }
    void short_slices(const ShortSlices& slices) {
        time_[slot_of(slices.longest, slices.name, slices.category)] +=
            double{slices.cover} * static_cast<double>(slices.cell_width);
    }

    LaneMapRow sum(uint32_t row) const {
        double all = 0;
        for (const double time : time_) all += time;
        const auto longest = std::ranges::max_element(time_);
        const auto length = static_cast<double>(std::max<Nanos>(1, range_.length()));
        return {row, static_cast<float>(std::min(1.0, all / length)),
                static_cast<Slot>(longest - time_.begin())};
    }

  private:
    void add(Nanos start, Nanos stop, Slot slot) {
        const Nanos begin = std::max(start, range_.begin);
        time_[slot] += static_cast<double>(std::max<Nanos>(0, std::min(stop, range_.end) - begin));
    }

    // `index`: in the lane as displayed.
    Slot slot_of(uint32_t index, StringId name, CategoryId category) const {
        return own_ ? own_[index] : slots_.slot_of(name, category);
    }

    const SlotTable& slots_;
    TimeRange range_;
    const Slot* own_ = nullptr;  // slots of all slices of the lane, if it has its own
    std::array<double, 256> time_{};
};

}  // namespace

LaneMap build_lane_map(const ViewIndex& index, const LaneLayout& layout, TimeRange content) {
    LaneMap map;
    const double cell = static_cast<double>(content.length()) / kCells;
    for (uint32_t row = 0; row < layout.rows.size(); ++row) {
        const LayoutRow& place = layout.rows[row];
        if (place.kind != RowKind::slices) continue;
        const LaneId lane = layout.lanes[place.lane].id;
        TimeBySlot time(index, lane, content);
        RowWalk walk(content, cell, time);
        walk.lane(shown_lane(*index.trace, index.shown, lane), place.depth);
        map.rows.push_back(time.sum(row));
    }
    return map;
}

std::vector<LaneMapBar> lane_map_bars(const LaneMap& map, const LaneLayout& layout,
                                      uint32_t height) {
    std::vector<LaneMapBar> bars;
    if (layout.height <= 0) return bars;
    const double scale = static_cast<double>(height) / layout.height;
    for (const LaneMapRow& row : map.rows) {
        const LayoutRow& place = layout.rows[row.row];
        const auto y0 = std::min(static_cast<uint32_t>(place.y * scale), height - 1);
        const auto y1 = static_cast<uint32_t>((place.y + place.height) * scale);
        const LaneMapBar bar{y0, std::clamp(y1, y0 + 1, height), row.busy, row.slot};
        if (bars.empty() || bars.back().y0 < y0) {
            if (!bars.empty()) bars.back().y1 = std::min(bars.back().y1, y0);
            bars.push_back(bar);
        } else if (row.busy > bars.back().busy) {
            bars.back() = bar;
        }
    }
    return bars;
}

double lane_map_scroll(const LaneLayout& layout, double height, double y, double shown) {
    const double middle = y / std::max(1.0, height) * layout.height;
    return std::clamp(middle - shown / 2, 0.0, std::max(0.0, layout.height - shown));
}

}  // namespace lanescope
