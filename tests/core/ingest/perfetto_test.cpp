// Tests the Perfetto reader: clocks, packets, and small traces.
#include "core/ingest/perfetto/clock_tracker.h"
#include "core/ingest/perfetto/packet_stream.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/protobuf_bytes.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

constexpr uint64_t kTrack = 9;

std::string clock_at(uint64_t id, uint64_t time, bool is_incremental = false, uint64_t unit = 0) {
    return bytes_field(1, number_field(1, id) + number_field(2, time) +
                              number_field(3, is_incremental ? 1 : 0) +
                              (unit > 0 ? number_field(4, unit) : ""));
}

std::string packet(uint64_t time, const std::string& rest) {
    return bytes_field(1, number_field(8, time) + number_field(10, 1) + rest);
}

std::string track_event(uint64_t time, uint64_t type, std::string_view name = "") {
    return packet(time, bytes_field(11, number_field(9, type) + number_field(11, kTrack) +
                                            (name.empty() ? "" : bytes_field(23, name))));
}

std::string track_of_thread() {
    return packet(0, bytes_field(60, number_field(1, kTrack) +
                                         bytes_field(4, number_field(1, 5) + number_field(2, 6) +
                                                            bytes_field(5, "main"))));
}

constexpr uint64_t kBegin = 1;
constexpr uint64_t kEnd = 2;
constexpr uint64_t kInstant = 3;

const Lane* lane_named(const Trace& trace, std::string_view name) {
    for (const Lane& lane : trace.lanes)
        if (trace.strings[lane.name].find(name) != std::string_view::npos) return &lane;
    return nullptr;
}

}  // namespace

TEST_CASE("a clock is converted by the nearest earlier snapshot") {
    ClockTracker clocks;
    clocks.take(clock_at(6, 1000) + clock_at(3, 200), 1);
    clocks.take(clock_at(6, 3000) + clock_at(3, 1200), 1);  // boot time ran faster
    const ClockKey monotonic = ClockTracker::key_of(1, 3);
    CHECK(clocks.convert(monotonic, 300) == 1100);
    CHECK(clocks.convert(monotonic, 1199) == 1999);
    CHECK(clocks.convert(monotonic, 1300) == 3100);
    CHECK(clocks.convert(monotonic, 100) == 900);  // before the first snapshot
    CHECK(clocks.convert(ClockTracker::key_of(1, 6), 42) == 42);
    CHECK(clocks.convert(ClockTracker::key_of(1, 2), 42) == std::nullopt);
}

TEST_CASE("clocks are converted through others, and have units") {
    ClockTracker clocks;
    clocks.take(clock_at(6, 10'000) + clock_at(3, 1000), 1);
    clocks.take(clock_at(3, 2000) + clock_at(70, 5, false, 1000), 1);
    const ClockKey own = ClockTracker::key_of(1, 70);
    CHECK(clocks.convert(own, 6) == 12'000);
    CHECK(ClockTracker::key_of(1, 70) != ClockTracker::key_of(2, 70));
    CHECK(ClockTracker::key_of(1, 128) == ClockTracker::key_of(2, 128));
    CHECK(clocks.convert(ClockTracker::key_of(2, 70), 6) == std::nullopt);
}

TEST_CASE("an incremental clock adds to its previous reading") {
    ClockTracker clocks;
    clocks.take(clock_at(6, 1000) + clock_at(64, 100, true), 1);
    const ClockKey own = ClockTracker::key_of(1, 64);
    CHECK(clocks.convert(own, 10) == 1010);
    CHECK(clocks.convert(own, 10) == 1020);
}

TEST_CASE("the offset to Unix time needs a snapshot of both clocks") {
    ClockTracker clocks;
    clocks.take(clock_at(6, 1000) + clock_at(3, 200), 1);
    CHECK(clocks.unix_offset() == std::nullopt);
    clocks.take(clock_at(6, 2000) + clock_at(1, 1'700'000), 1);
    CHECK(clocks.unix_offset() == 1'698'000);
}

TEST_CASE("fields are located by tag and length, also with padded varints") {
    const auto place = read_field_place(std::string_view("\x0a\xa0\x80\x80\x00rest", 9));
    REQUIRE(place);
    CHECK(place->field == 1);
    CHECK(place->begin == 5);
    CHECK(place->size == 32);
    CHECK_FALSE(read_field_place("\x0a"));
    CHECK_FALSE(read_field_place("\x0b\x01"));  // a group
    CHECK_FALSE(read_field_place(""));
}

TEST_CASE("begins and ends pair on their track, by time and not by the order of the file") {
    const TracePtr trace =
        loaded(track_of_thread() + track_event(300, kEnd) + track_event(100, kBegin, "outer") +
               track_event(150, kBegin, "inner") + track_event(200, kEnd) +
               track_event(250, kInstant, "mark"));
    const Lane* const lane = lane_named(*trace, "main");
    REQUIRE(lane != nullptr);
    REQUIRE(lane->chunks.size() == 1);
    const Chunk& slices = *lane->chunks.front();
    REQUIRE(slices.size() == 2);
    CHECK(trace->strings[slices.name[0]] == "outer");
    CHECK(slices.end(0) - slices.start[0] == 200);
    CHECK(trace->strings[slices.name[1]] == "inner");
    CHECK(slices.end(1) - slices.start[1] == 50);
}

TEST_CASE("a trace that is cut keeps the packets before the cut") {
    const std::string head = track_of_thread() + track_event(100, kBegin, "a");
    const std::string whole = head + track_event(200, kEnd) + track_event(250, kInstant, "mark");
    for (std::size_t size = head.size() + 1; size < whole.size(); ++size) {
        const Result<TracePtr> trace = load_bytes(whole.substr(0, size));
        REQUIRE(trace);
        CHECK(lane_named(**trace, "main") != nullptr);
    }
}
