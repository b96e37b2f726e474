#include "core/trace/level_of_detail.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace lanescope {

namespace {

// Small enough that searching one section costs almost nothing; large enough that few entries of
// its first level are at the section's edges. At most 65536, since entries hold 16-bit indices.
constexpr uint32_t kSectionSlices = 16384;
constexpr uint32_t kFirstReduction = 6;

struct Row {
    std::span<const Nanos> start;
    std::span<const Nanos> duration;
    std::span<const StringId> name;
    std::span<const uint16_t> category;
};

// Working memory for building a section, reused from section to section.
struct Scratch {
    // The smallest shift at which slice i shares an entry with the slice before it.
    std::vector<uint8_t> joins_at;
    std::vector<LevelEntry> entries;       // level entries of all sections so far
    std::vector<Nanos> total, next_total;  // durations in each entry of the last level
};

uint8_t cover_code(Nanos total, int shift) {
    return static_cast<uint8_t>(
        std::min(255.0, std::round(std::ldexp(static_cast<double>(total), 7 - shift))));
}

// Fills `joins_at`, and counts for each shift the entries of its level. Two neighbours share an
// entry if both are shorter than a cell and start in the same cell, that is, if their starts
// (relative to the section's) differ only in bits below the shift.
std::array<uint32_t, 65> count_entries(const Row& row, const LevelSection& section,
                                       std::vector<uint8_t>& joins_at) {
    std::array<uint32_t, 65> joining{};
    joins_at.resize(section.end - section.begin);
    joins_at[0] = 64;
    uint64_t previous = 0;
    uint64_t previous_length = static_cast<uint64_t>(row.duration[section.begin]);
    for (uint32_t i = section.begin + 1; i < section.end; ++i) {
        const uint64_t offset =
            static_cast<uint64_t>(row.start[i]) - static_cast<uint64_t>(section.start);
        const auto length = static_cast<uint64_t>(row.duration[i]);
        const auto shift =
            static_cast<uint8_t>(std::bit_width((offset ^ previous) | length | previous_length));
        joins_at[i - section.begin] = shift;
        ++joining[shift];
        previous = offset;
        previous_length = length;
    }
    std::array<uint32_t, 65> count{};
    uint32_t entries = section.end - section.begin;
    for (std::size_t shift = 0; shift < count.size(); ++shift) {
        entries -= joining[shift];
        count[shift] = entries;
    }
    return count;
}

void add_finest_level(const Row& row, const LevelSection& section, int shift, Scratch& scratch) {
    scratch.total.clear();
    for (uint32_t i = section.begin; i < section.end; ++i) {
        const auto local = static_cast<uint16_t>(i - section.begin);
        if (scratch.joins_at[local] > shift) {
            const uint64_t offset =
                static_cast<uint64_t>(row.start[i]) - static_cast<uint64_t>(section.start);
            LevelEntry entry;
            entry.cell = static_cast<uint32_t>(offset >> shift);
            entry.first = entry.longest = local;
            scratch.entries.push_back(entry);
            scratch.total.push_back(row.duration[i]);
        } else {
            LevelEntry& entry = scratch.entries.back();
            if (row.duration[i] > row.duration[section.begin + entry.longest])
                entry.longest = local;
            scratch.total.back() += row.duration[i];
        }
    }
}

void add_next_level(const Row& row, const LevelSection& section, const Level& finer, int shift,
                    Scratch& scratch) {
    scratch.next_total.clear();
    for (uint32_t e = finer.begin; e < finer.end; ++e) {
        const LevelEntry fine = scratch.entries[e];
        const Nanos total = scratch.total[e - finer.begin];
        if (scratch.joins_at[fine.first] > shift) {
            scratch.entries.push_back(fine);
            scratch.entries.back().cell = fine.cell >> (shift - finer.shift);
            scratch.next_total.push_back(total);
        } else {
            LevelEntry& entry = scratch.entries.back();
            if (row.duration[section.begin + fine.longest] >
                row.duration[section.begin + entry.longest])
                entry.longest = fine.longest;
            scratch.next_total.back() += total;
        }
    }
    std::swap(scratch.total, scratch.next_total);
}

// Fills the fields that follow from the longest slice and the total.
void finish_level(const Row& row, const LevelSection& section, const Level& level,
                  Scratch& scratch) {
    for (uint32_t e = level.begin; e < level.end; ++e) {
        LevelEntry& entry = scratch.entries[e];
        const uint32_t longest = section.begin + entry.longest;
        entry.name = row.name[longest];
        entry.category = row.category[longest];
        entry.length = length_code(row.duration[longest]);
        entry.cover = cover_code(scratch.total[e - level.begin], level.shift);
    }
}

void add_section(const Row& row, LevelSection& section, std::vector<Level>& levels,
                 Scratch& scratch) {
    const auto counts = count_entries(row, section, scratch.joins_at);
    // Cell numbers have 32 bits. In cells of 1 ns, length_code could not distinguish slices of 0
    // and 1 ns.
    const auto span =
        static_cast<uint64_t>(row.start[section.end - 1]) - static_cast<uint64_t>(section.start);
    const int least_shift = std::max(1, static_cast<int>(std::bit_width(span)) - 32);

    section.level_begin = static_cast<uint32_t>(levels.size());
    uint32_t wanted = (section.end - section.begin) / kFirstReduction;
    for (int shift = least_shift; shift < 63 && wanted > 0; ++shift) {
        const uint32_t count = counts[static_cast<std::size_t>(shift)];
        if (count > wanted) continue;
        Level level{shift, static_cast<uint32_t>(scratch.entries.size()), 0};
        if (levels.size() == section.level_begin) {
            add_finest_level(row, section, shift, scratch);
        } else {
            add_next_level(row, section, levels.back(), shift, scratch);
        }
        level.end = static_cast<uint32_t>(scratch.entries.size());
        finish_level(row, section, level, scratch);
        levels.push_back(level);
        wanted = count * 5 / 8;
    }
    section.level_end = static_cast<uint32_t>(levels.size());
}

// All entries, ordered by shift and then by section, so that the entries of one view are adjacent
// in memory. Updates the levels' positions.
Column<LevelEntry> by_shift(std::vector<Level>& levels, const std::vector<LevelEntry>& entries) {
    std::array<uint32_t, 65> next{};
    for (const Level& level : levels)
        next[static_cast<std::size_t>(level.shift) + 1] += level.end - level.begin;
    std::partial_sum(next.begin(), next.end(), next.begin());
    Column<LevelEntry> result(entries.size());
    for (Level& level : levels) {
        uint32_t& place = next[static_cast<std::size_t>(level.shift)];
        std::copy(&entries[level.begin], &entries[level.begin] + (level.end - level.begin),
                  &result[place]);
        const uint32_t size = level.end - level.begin;
        level.begin = place;
        level.end = place += size;
    }
    return result;
}

}  // namespace

std::size_t LevelsOfDetail::bytes() const {
    return sections.size() * sizeof(LevelSection) + levels.size() * sizeof(Level) + entries.bytes();
}

uint8_t length_code(Nanos duration) {
    if (duration < 2) return 0;
    const auto d = static_cast<uint64_t>(duration);
    const int power = static_cast<int>(std::bit_width(d)) - 1;
    const uint64_t quarter = power >= 2 ? (d >> (power - 2)) & 3 : (d << (2 - power)) & 3;
    return static_cast<uint8_t>(4 * power + static_cast<int>(quarter));
}

Nanos shortest_of_code(uint8_t code) {
    if (code == 0) return 0;
    const int power = code / 4;
    const Nanos quarters = 4 + code % 4;
    return power >= 2 ? quarters << (power - 2)
                      : (quarters + (1 << (2 - power)) - 1) >> (2 - power);
}

LevelsOfDetail build_levels(std::span<const Nanos> start, std::span<const Nanos> duration,
                            std::span<const StringId> name, std::span<const uint16_t> category) {
    LevelsOfDetail result;
    const auto size = static_cast<uint32_t>(start.size());
    if (size < kMinLevelSlices) return result;
    const Row row{start, duration, name, category};
    const uint32_t section_count = (size + kSectionSlices - 1) / kSectionSlices;
    Scratch scratch;
    for (uint32_t s = 0; s < section_count; ++s) {
        LevelSection section;
        section.begin = static_cast<uint32_t>(uint64_t{size} * s / section_count);
        section.end = static_cast<uint32_t>(uint64_t{size} * (s + 1) / section_count);
        section.start = start[section.begin];
        section.stop = start[section.end - 1] + duration[section.end - 1];
        add_section(row, section, result.levels, scratch);
        result.sections.push_back(section);
    }
    result.entries = by_shift(result.levels, scratch.entries);
    return result;
}

}  // namespace lanescope
