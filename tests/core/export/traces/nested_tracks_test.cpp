// Slices that overlap are divided among tracks in which they nest.
#include "core/export/traces/nested_tracks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "tests/core/ingest/random_events.h"

namespace lanescope {

namespace {

std::vector<std::size_t> tracks_of(const std::vector<TimeRange>& slices) {
    NestedTracks nested;
    std::vector<std::size_t> tracks;
    for (const TimeRange& slice : slices) {
        nested.end_until(slice.begin, [](std::size_t, Nanos) {});
        tracks.push_back(nested.place(slice.end));
    }
    return tracks;
}

using Tracks = std::vector<std::size_t>;

}  // namespace

TEST_CASE("nested calls are on one track, and so is what follows them") {
    CHECK(tracks_of({{0, 100}, {0, 50}, {10, 50}, {60, 100}, {100, 110}}) == Tracks{0, 0, 0, 0, 0});
}

TEST_CASE("a slice that overlaps in part is on the next free track") {
    CHECK(tracks_of({{0, 100}, {50, 150}, {60, 160}, {120, 130}, {155, 170}}) ==
          Tracks{0, 1, 2, 1, 0});
}

TEST_CASE("a slice is inside the shortest slice that contains it") {
    CHECK(tracks_of({{0, 100}, {20, 200}, {30, 90}, {95, 150}}) == Tracks{0, 1, 0, 1});
}

TEST_CASE("random slices nest in every track, and each ends once, in the order of the ends") {
    testing::Random random(7);
    std::vector<TimeRange> slices(2000);
    for (TimeRange& slice : slices) {
        slice.begin = static_cast<Nanos>(random() % 5000);
        slice.end = slice.begin + static_cast<Nanos>(random() % 300);
    }
    std::ranges::sort(slices, [](const TimeRange& a, const TimeRange& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    NestedTracks nested;
    std::map<std::size_t, std::vector<TimeRange>> open;
    std::size_t ended = 0;
    Nanos last = 0;
    const auto end = [&](std::size_t track, Nanos time) {
        REQUIRE(open[track].back().end == time);
        CHECK(time >= last);
        last = time;
        open[track].pop_back();
        ++ended;
    };
    for (const TimeRange& slice : slices) {
        nested.end_until(slice.begin, end);
        std::vector<TimeRange>& around = open[nested.place(slice.end)];
        if (!around.empty()) REQUIRE(slice.end <= around.back().end);
        around.push_back(slice);
    }
    nested.end_until(std::numeric_limits<Nanos>::max(), end);
    CHECK(ended == slices.size());
    CHECK(nested.count() == open.size());
}

}  // namespace lanescope
