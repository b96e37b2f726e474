// Walks over a depth row: visits its slices in a range of time, in order, with indistinguishably
// short ones combined. Culling, picking and the overview all read rows through this.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/trace/trace.h"

namespace lanescope {

// Slices [first, first + count) of a lane, all shorter than the cell in which they start.
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

// A slice with an entry of its own in a level.
struct LoneSlice {
    uint32_t index = 0;  // in the lane
    Nanos start = 0;
    Nanos stop = 0;
    StringId name = 0;
    CategoryId category = 0;
};

// The pixel columns [begin, end) in which a cell is drawn: those whose centres it covers or, if it
// is narrower than a pixel, the one that contains its centre. Adjacent cells leave no column out,
// and share a column only if they are narrower than it.
struct CellColumns {
    int begin = 0;
    int end = 0;
    float part = 1;  // fraction of a column that a full cell covers
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

// Consecutive entries of one level that reach into a range.
struct LevelStretch {
    const Chunk& chunk;
    uint32_t base = 0;  // index in the chunk of the section's first slice
    Nanos start = 0;    // of the section's first slice
    int shift = 0;      // a cell is 2^shift ns wide
    std::span<const LevelEntry> entries;
    uint32_t end = 0;  // end of the last entry's slices, relative to the section's first

    // Whether the entry is a single slice at least as long as a cell.
    bool is_lone(const LevelEntry& entry) const { return entry.length >= 4 * shift; }
    Nanos cell_start(const LevelEntry& entry) const {
        return start + (static_cast<Nanos>(entry.cell) << shift);
    }
    uint32_t count(std::size_t i) const {
        return (i + 1 < entries.size() ? entries[i + 1].first : end) - entries[i].first;
    }
    // Single slices are far apart in memory: prefetches the one some entries after `i`.
    void fetch_ahead(std::size_t i) const {
        constexpr std::size_t kAhead = 8;
        if (i + kAhead >= entries.size() || !is_lone(entries[i + kAhead])) return;
        __builtin_prefetch(&chunk.start[base + entries[i + kAhead].first]);
        __builtin_prefetch(&chunk.duration[base + entries[i + kAhead].first]);
    }
};

// A visitor has
//     void slices(const Chunk&, uint32_t begin, uint32_t end);  // single slices, by index in the
//                                                               // chunk
// and either
//     void lone_slice(const LoneSlice&);
//     void short_slices(const ShortSlices&);
// or, to take many at once,
//     void stretch(const LevelStretch&);
// It is called for everything that touches `range`, except that anything that touches it by less
// than a cell may be left out.
template <typename Visitor>
class RowWalk {
  public:
    // Cells are at most `cell` nanoseconds wide; 0: visits every slice singly.
    RowWalk(TimeRange range, double cell, Visitor& visitor)
        : range_(range), max_shift_(cell >= 1 ? std::ilogb(cell) : -1), visitor_(visitor) {}

    void lane(const Lane& lane, uint32_t depth) {
        for (std::size_t c = first_chunk(lane, depth); c < lane.chunks.size(); ++c) {
            const Chunk& chunk = *lane.chunks[c];
            if (has_row(chunk, depth) && !row(chunk, chunk.rows[depth])) break;
        }
    }

    // Walks over one non-empty row of one chunk. False if it begins after the range.
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

    // The first chunk whose slices of this depth reach into the range. In every row, chunks follow
    // each other in time, but not every chunk has every row.
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
        // There are few levels, and the result is unpredictable: counting costs less than
        // searching.
        std::ptrdiff_t coarse_enough = 0;
        for (auto l = begin; l != end; ++l) coarse_enough += l->shift <= max_shift_;
        const auto finer = begin + coarse_enough;
        if (finer == begin) {
            slices(chunk, row.begin + section.begin, row.begin + section.end);
        } else {
            level(chunk, row, section, *(finer - 1));
        }
    }

    // Slices [begin, end) of the chunk, singly.
    void slices(const Chunk& chunk, uint32_t begin, uint32_t end) {
        const Nanos* start = chunk.start.data();
        const Nanos* first = std::lower_bound(start + begin, start + end, range_.begin);
        const Nanos* last = std::lower_bound(first, start + end, range_.end);
        // The previous slice may reach into the range.
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
            // The previous entry may reach into the range.
            if (entry != entries + level.begin) --entry;
            if (entry->length < 4 * level.shift && entry->cell + 2 < offset >> level.shift) ++entry;
        }
        const LevelEntry* last = end;
        if (range_.end <= section.stop) {
            const auto offset =
                static_cast<uint64_t>(range_.end) - static_cast<uint64_t>(section.start);
            last = std::partition_point(entry, end, [&](const LevelEntry& e) {
                return static_cast<uint64_t>(e.cell) << level.shift < offset;
            });
        }
        const LevelStretch stretch{
            chunk,         row.begin + section.begin,
            section.start, level.shift,
            {entry, last}, last == end ? section.end - section.begin : last->first};
        if constexpr (requires { visitor_.stretch(stretch); }) {
            visitor_.stretch(stretch);
        } else {
            one_by_one(stretch);
        }
    }

    void one_by_one(const LevelStretch& stretch) {
        const uint32_t base = stretch.chunk.first + stretch.base;
        for (std::size_t i = 0; i < stretch.entries.size(); ++i) {
            const LevelEntry& entry = stretch.entries[i];
            stretch.fetch_ahead(i);
            if (stretch.is_lone(entry)) {
                lone_slice(stretch.chunk, stretch.base + entry.first, entry);
                continue;
            }
            visitor_.short_slices({stretch.cell_start(entry), Nanos{1} << stretch.shift,
                                   base + entry.first, stretch.count(i), base + entry.longest,
                                   entry.name, entry.category, entry.length,
                                   static_cast<float>(entry.cover) / 128});
        }
    }

    void lone_slice(const Chunk& chunk, uint32_t i, const LevelEntry& entry) {
        const Nanos start = chunk.start[i];
        const Nanos stop = start + chunk.duration[i];
        if (start >= range_.end || (stop <= range_.begin && start < range_.begin)) return;
        visitor_.lone_slice({chunk.first + i, start, stop, entry.name, entry.category});
    }

    TimeRange range_;
    int max_shift_;
    Visitor& visitor_;
};

}  // namespace lanescope
