#include "core/trace/level_of_detail.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

struct Row {
    std::vector<Nanos> start, duration;
    std::vector<StringId> name;
    std::vector<uint16_t> category;

    Nanos end(uint32_t i) const { return start[i] + duration[i]; }
};

Row make_row(std::mt19937_64& random, std::size_t count, Spread spread, Nanos from) {
    Row row;
    for (const TestSlice& slice : random_row(random, count, spread, from)) {
        row.start.push_back(slice.start);
        row.duration.push_back(slice.duration);
        row.name.push_back(static_cast<StringId>(random() % 1000));
        row.category.push_back(static_cast<uint16_t>(random() % 10));
    }
    return row;
}

LevelsOfDetail levels_of(const Row& row) {
    return build_levels(row.start, row.duration, row.name, row.category);
}

// Every entry summarises its slices, and every slice of the section is in exactly one.
void check_level(const Row& row, const LevelsOfDetail& levels, const LevelSection& section,
                 const Level& level) {
    uint32_t next = section.begin;
    for (uint32_t e = level.begin; e < level.end; ++e) {
        const LevelEntry& entry = levels.entries[e];
        REQUIRE(section.begin + entry.first == next);
        const uint32_t end =
            e + 1 == level.end ? section.end : section.begin + levels.entries[e + 1].first;
        REQUIRE(end > next);
        uint32_t longest = next;
        double total = 0;
        for (uint32_t i = next; i < end; ++i) {
            const Nanos cell = (row.start[i] - section.start) >> level.shift;
            REQUIRE(cell == entry.cell);
            const bool alone = row.duration[i] >= Nanos{1} << level.shift;
            REQUIRE((!alone || end == next + 1));
            if (row.duration[i] > row.duration[longest]) longest = i;
            total += static_cast<double>(row.duration[i]);
        }
        REQUIRE(section.begin + entry.longest == longest);
        REQUIRE(entry.name == row.name[longest]);
        REQUIRE(entry.category == row.category[longest]);
        REQUIRE(entry.length == length_code(row.duration[longest]));
        REQUIRE(std::abs(entry.cover - std::min(255.0, std::ldexp(total, 7 - level.shift))) <= 0.5);
        next = end;
    }
    REQUIRE(next == section.end);
}

}  // namespace

TEST_CASE("length codes grow with the length and represent powers of two exactly") {
    CHECK(length_code(0) == 0);
    CHECK(length_code(1) == 0);
    CHECK(length_code(2) == 4);
    CHECK(length_code(3) == 6);
    CHECK(length_code(std::numeric_limits<Nanos>::max()) == 251);
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const auto a = static_cast<Nanos>(random() >> (1 + random() % 63));
        const auto b = static_cast<Nanos>(random() >> (1 + random() % 63));
        REQUIRE((a >= b || length_code(a) <= length_code(b)));
        REQUIRE(shortest_of_code(length_code(a)) <= a);
        REQUIRE(length_code(shortest_of_code(length_code(a))) == length_code(a));
        for (int power = 1; power < 63; ++power)
            REQUIRE((length_code(a) >= 4 * power) == (a >= Nanos{1} << power));
    }
}

TEST_CASE("short rows have no levels") {
    std::mt19937_64 random(2);
    CHECK(levels_of(make_row(random, kMinLevelSlices - 1, Spread::even, 0)).empty());
    CHECK_FALSE(levels_of(make_row(random, kMinLevelSlices, Spread::even, 0)).empty());
}

TEST_CASE("levels count every slice once, whatever the row") {
    std::mt19937_64 random(3);
    for (const Spread spread : kSpreads) {
        for (const std::size_t count : {std::size_t{kMinLevelSlices}, std::size_t{70'001}}) {
            CAPTURE(static_cast<int>(spread));
            const Row row = make_row(random, count, spread, 1'700'000'000'000'000'000);
            const LevelsOfDetail levels = levels_of(row);
            uint32_t next = 0;
            for (const LevelSection& section : levels.sections) {
                REQUIRE(section.begin == next);
                REQUIRE(section.start == row.start[section.begin]);
                REQUIRE(section.stop == row.end(section.end - 1));
                next = section.end;
                uint32_t max_size = (section.end - section.begin) / 6;
                int shift = 0;
                for (uint32_t l = section.level_begin; l < section.level_end; ++l) {
                    const Level& level = levels.levels[l];
                    REQUIRE(level.shift > shift);
                    REQUIRE(level.end - level.begin <= max_size);
                    check_level(row, levels, section, level);
                    shift = level.shift;
                    max_size = (level.end - level.begin) * 5 / 8;
                }
                // The ladder ends with a single entry for everything.
                const Level& top = levels.levels[section.level_end - 1];
                REQUIRE(top.end - top.begin == 1);
            }
            REQUIRE(next == count);
            CHECK(static_cast<double>(levels.bytes()) < 5.5 * static_cast<double>(count));
        }
    }
}

TEST_CASE("rows that span more than 32 bits of cells, and the ends of time, are kept") {
    Row row;
    const Nanos step = std::numeric_limits<Nanos>::max() / 3000;
    for (int i = 0; i < 3000; ++i) {
        row.start.push_back(i * step);
        row.duration.push_back(i % 7 == 0 ? 0 : i);
        row.name.push_back(0);
        row.category.push_back(0);
    }
    // One burst at the start, too short for numbered cells over the whole span.
    for (int i = 1; i < 500; ++i) row.start[static_cast<std::size_t>(i)] = i * 1000;
    const LevelsOfDetail levels = levels_of(row);
    for (const LevelSection& section : levels.sections) {
        for (uint32_t l = section.level_begin; l < section.level_end; ++l)
            check_level(row, levels, section, levels.levels[l]);
    }
}
