// Walking a depth row: its slices in a stretch of time, in order, those that are too short to tell
// apart summed up. Culling, picking and the overview all see a row through this.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/trace/trace.h"

namespace lanescope {

// Slices [first, first + count) of a lane, none as long as the cell in which they start.
struct ShortSlices {
    Nanos cell_start = 0;
    Nanos cell_width = 0;
    uint32_t first = 0;  // index in the lane
    uint32_t count = 0;
    uint32_t longest = 0;  // index in the lane
    StringId name = 0;     // of the longest …
    CategoryId category = 0;
    uint8_t length = 0;  // … and its length_code
    float cover = 0;     // sum of durations in cells
};

// One slice that stands alone in a level.
struct LoneSlice {
    uint32_t index = 0;  // in the lane
    Nanos start = 0;
    Nanos stop = 0;
    StringId name = 0;
    CategoryId category = 0;
};

// The pixel columns [begin, end) over which a cell is drawn: those whose middles it covers, or,
// when it is narrower than a pixel, the one in which it has its own. Cells side by side leave no
// column out, and none is in two of them unless they are narrower than it.
struct CellColumns {
    int begin = 0;
    int end = 0;
    float part = 1;  // of a column that a full cell covers
};
inline CellColumns columns_of_cell(double x0, Nanos cell_width, double px_per_nano) {
    const double width = static_cast<double>(cell_width) * px_per_nano;
    if (width < 1) {
        const int column = static_cast<int>(std::floor(x0 + width / 2));
        return {column, column + 1, static_cast<float>(width)};
    }
    return {static_cast<int>(std::floor(x0 + 0.5)), static_cast<int>(std::floor(x0 + width + 0.5)),
            1};
}

// A visitor has
//     void slices(const Chunk&, uint32_t begin, uint32_t end);  // each by itself; indices in the
//     chunk void lone_slice(const LoneSlice&); void short_slices(const ShortSlices&);
// They are told only of what touches `range`; what touches it by less than a cell may be left out
// or told.
template <typename Visitor>
class RowWalk {
  public:
    // Cells are at most `cell` nanoseconds wide; 0: every slice by itself.
    RowWalk(TimeRange range, double cell, Visitor& visitor)
        : range_(range), max_shift_(cell >= 1 ? std::ilogb(cell) : -1), visitor_(visitor) {}

    void lane(const Lane& lane, uint32_t depth) {
        for (std::size_t c = first_chunk(lane, depth); c < lane.chunks.size(); ++c) {
            const Chunk& chunk = *lane.chunks[c];
            if (has_row(chunk, depth) && !row(chunk, chunk.rows[depth])) break;
        }
    }

    // One row, not empty, of one chunk. False when it begins after the range.
    bool row(const Chunk& chunk, const DepthRow& row) {
        if (chunk.start[row.begin] >= range_.end) return false;
        if (row.levels.empty()) {
            slices(chunk, row.begin, row.end);
            return true;
        }
        const auto& sections = row.levels.sections;
        auto section =
            std::partition_point(sections.begin(), sections.end(),
                                 [this](const LevelSection& s) { return s.stop < range_.begin; });
        for (; section != sections.end() && section->start < range_.end; ++section)
            this->section(chunk, row, *section);
        return true;
    }

  private:
    static bool has_row(const Chunk& chunk, uint32_t depth) {
        return depth < chunk.rows.size() && chunk.rows[depth].size() > 0;
    }

    // The first chunk whose slices of this depth reach into the range. Chunks follow each other in
    // time in every row, but not each has every row.
    std::size_t first_chunk(const Lane& lane, uint32_t depth) const {
        std::size_t low = 0;
        std::size_t high = lane.chunks.size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            std::size_t probe = middle;
            while (probe < high && !has_row(*lane.chunks[probe], depth)) ++probe;
            if (probe < high &&
                lane.chunks[probe]->end(lane.chunks[probe]->rows[depth].end - 1) < range_.begin) {
                low = probe + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    void section(const Chunk& chunk, const DepthRow& row, const LevelSection& section) {
        const auto& levels = row.levels.levels;
        const auto begin = levels.begin() + section.level_begin;
        const auto end = levels.begin() + section.level_end;
        const auto finer = std::partition_point(
            begin, end, [this](const Level& l) { return l.shift <= max_shift_; });
        if (finer == begin) {
            slices(chunk, row.begin + section.begin, row.begin + section.end);
        } else {
            level(chunk, row, section, *(finer - 1));
        }
    }

    // Slices [begin, end) of the chunk, one by one.
    void slices(const Chunk& chunk, uint32_t begin, uint32_t end) {
        const Nanos* start = chunk.start.data();
        const Nanos* first = std::lower_bound(start + begin, start + end, range_.begin);
        const Nanos* last = std::lower_bound(first, start + end, range_.end);
        // The one before may reach into the range.
        if (first != start + begin && chunk.end(index_of(first - 1, start)) > range_.begin) --first;
        if (first != last) visitor_.slices(chunk, index_of(first, start), index_of(last, start));
    }

    static uint32_t index_of(const Nanos* at, const Nanos* start) {
        return static_cast<uint32_t>(at - start);
    }

    void level(const Chunk& chunk, const DepthRow& row, const LevelSection& section,
               const Level& level) {
        const LevelEntry* entries = row.levels.entries.data();
        const LevelEntry* end = entries + level.end;
        const LevelEntry* entry = entries + level.begin;
        if (range_.begin > section.start) {
            const auto offset =
                static_cast<uint64_t>(range_.begin) - static_cast<uint64_t>(section.start);
            entry = std::partition_point(
                entry, end,
                [cell = offset >> level.shift](const LevelEntry& e) { return e.cell < cell; });
            // The one before may reach into the range.
            if (entry != entries + level.begin) --entry;
            if (entry->length < 4 * level.shift && entry->cell + 2 < offset >> level.shift) ++entry;
        }
        const uint32_t base = row.begin + section.begin;  // in the chunk
        const float cover_scale = 1.0F / 128;
        ShortSlices group;
        group.cell_width = Nanos{1} << level.shift;
        for (; entry != end; ++entry) {
            group.cell_start = section.start + (static_cast<Nanos>(entry->cell) << level.shift);
            if (group.cell_start >= range_.end) break;
            if (end - entry > kAhead) prefetch(chunk, base, entry[kAhead], level.shift);
            if (entry->length >= 4 * level.shift) {
                lone_slice(chunk, base + entry->first, *entry);
                continue;
            }
            const uint32_t next =
                entry + 1 == end ? section.end - section.begin : (entry + 1)->first;
            group.first = chunk.first + base + entry->first;
            group.count = next - entry->first;
            group.longest = chunk.first + base + entry->longest;
            group.name = entry->name;
            group.category = entry->category;
            group.length = entry->length;
            group.cover = static_cast<float>(entry->cover) * cover_scale;
            visitor_.short_slices(group);
        }
    }

    void lone_slice(const Chunk& chunk, uint32_t i, const LevelEntry& entry) {
        const Nanos start = chunk.start[i];
        const Nanos stop = start + chunk.duration[i];
        if (start >= range_.end || (stop <= range_.begin && start < range_.begin)) return;
        visitor_.lone_slice({chunk.first + i, start, stop, entry.name, entry.category});
    }

    // Slices that stand alone are far apart in memory; those some entries ahead are asked for
    // early.
    static constexpr std::ptrdiff_t kAhead = 8;
    static void prefetch(const Chunk& chunk, uint32_t base, const LevelEntry& entry, int shift) {
        if (entry.length < 4 * shift) return;
        __builtin_prefetch(&chunk.start[base + entry.first]);
        __builtin_prefetch(&chunk.duration[base + entry.first]);
    }

    TimeRange range_;
    int max_shift_;
    Visitor& visitor_;
};

}  // namespace lanescope
