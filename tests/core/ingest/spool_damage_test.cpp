// Spool files that are torn, damaged, growing, or without room.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <set>

#include "core/ingest/load.h"
#include "core/ingest/spool/spool_decoder.h"
#include "tests/core/ingest/random_spool.h"
#include "tests/core/memory_file.h"

using namespace lanescope;
using lanescope::testing::MemoryFile;
using lanescope::testing::recorded_slices;
using lanescope::testing::RecordedSlice;
using lanescope::testing::SpoolMaker;
using lanescope::testing::warning;
using lanescope::testing::write_random;

TEST_CASE("other versions, other byte orders and half a header are reported") {
    SpoolMaker maker;
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 70, 70);
    maker.range(stream, kSpoolMark, "here", maker.now());
    const std::string good = maker.bytes();
    const auto text_of = [&](std::size_t at, char value, std::size_t length) {
        std::string bytes = good.substr(0, length);
        bytes[at] = value;
        const MemoryFile file(bytes);
        const auto trace = load_trace(file.path());
        REQUIRE_FALSE(trace);
        return trace.error().text;
    };
    CHECK(text_of(8, 9, good.size()).find("version 9") != std::string::npos);
    CHECK(text_of(12, 9, good.size()).find("byte order") != std::string::npos);
    CHECK(text_of(0, '\x89', 300).find("byte 300") != std::string::npos);
}

TEST_CASE("records before a tear are kept, and the tear is reported") {
    SpoolMaker maker;
    const auto expected = write_random(maker, 42, 6'000);
    const std::string good = maker.bytes();
    std::mt19937 random(1);
    std::size_t largest = 0;
    for (int round = 0; round < 60; ++round) {
        const std::size_t length =
            kSpoolPage + sizeof(SpoolBlock) + random() % (good.size() - 2 * kSpoolPage);
        const MemoryFile file(good.substr(0, length));
        const auto trace = load_trace(file.path());
        if (!trace) {
            CHECK(trace.error().code == ErrorCode::empty);
            continue;
        }
        std::size_t known = 0;
        const auto seen = recorded_slices(**trace);
        for (const RecordedSlice& one : seen) known += expected.count(one) > 0;
        largest = std::max(largest, known);
        // Only ranges that the tear left open end elsewhere.
        const Warning* unclosed = warning(**trace, "unclosed_begin");
        const std::size_t open = unclosed ? std::stoul(unclosed->text) : 0;
        CHECK(known + open >= seen.size());
    }
    CHECK(largest > expected.size() / 2);
}

TEST_CASE("a damaged block loses nothing but itself") {
    SpoolMaker maker;
    const auto expected = write_random(maker, 43, 6'000);
    maker.recording->finish();
    const std::string good = maker.bytes();
    std::mt19937 random(2);
    int reported = 0;
    for (int round = 0; round < 60; ++round) {
        std::string bytes = good;
        const std::size_t at = kSpoolPage + random() % (bytes.size() - kSpoolPage);
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        const MemoryFile file(bytes);
        const auto trace = load_trace(file.path());
        REQUIRE(trace);
        const bool damaged =
            warning(**trace, "damaged_block") || warning(**trace, "damaged_record");
        reported += damaged;
        CHECK((*trace)->slice_count() > 0);
    }
    CHECK(reported > 10);
}

TEST_CASE("a growing file gives the same end result in steps of any size") {
    SpoolMaker maker;
    auto file = InputFile::open(maker.path());
    REQUIRE(file);
    auto decoder = SpoolDecoder::open(*file);
    REQUIRE(decoder);
    uint64_t events = 0;
    SpoolSink sink;
    sink.batch = [&](const Batch& batch) {
        for (const RawEvent& event : batch.events) events += event.kind == EventKind::slice;
    };
    sink.warn = [](const std::string&, uint64_t, std::string_view) {};
    SpoolStream& one = maker.stream(kSpoolEvents, 1, 70, 70);
    SpoolStream& two = maker.stream(kSpoolEvents, 1, 70, 71);
    uint64_t written = 0;
    for (int round = 0; round < 300; ++round) {
        for (int i = 0; i < 50; ++i) {
            SpoolStream& stream = i % 3 == 0 ? two : one;
            maker.range(stream, kSpoolPush, "step " + std::to_string(i * round), maker.now());
            maker.pop(stream, maker.now());
            ++written;
        }
        REQUIRE((*decoder)->read_on(sink));
        REQUIRE(events == written);
    }
    CHECK_FALSE((*decoder)->is_complete());
    maker.recording->finish();
    REQUIRE((*decoder)->read_on(sink));
    CHECK((*decoder)->is_complete());
    CHECK(events == written);
}

TEST_CASE("a ring keeps the latest records") {
    SpoolOptions options;
    // Writing the late ranges must take less, also under sanitizers on a busy machine.
    options.ring = 400'000'000;
    SpoolMaker maker(options);
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 70, 70);
    const auto write = [&](const char* name, int ranges) {
        for (int i = 0; i < ranges; ++i) {
            maker.range(stream, kSpoolPush, name, maker.now());
            maker.pop(stream, maker.now());
        }
    };
    write("early", 60'000);
    usleep(500'000);
    maker.recording->give_up_old();
    write("late", 20'000);
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    uint64_t early = 0;
    uint64_t late = 0;
    for (const RecordedSlice& one : recorded_slices(**trace))
        (one.name == "early" ? early : late) += 1;
    CHECK(late == 20'000);
    CHECK(early < 30'000);  // a block that was open then
    struct stat info = {};
    REQUIRE(stat(maker.path().c_str(), &info) == 0);
    CHECK(info.st_blocks * 512 < info.st_size);
}

TEST_CASE("records without room are counted as lost") {
    SpoolOptions options;
    options.limit_bytes = 100'000;
    SpoolMaker maker(options);
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 70, 70);
    uint64_t lost = 0;
    for (int i = 0; i < 10'000; ++i) lost += !maker.range(stream, kSpoolMark, "mark", maker.now());
    CHECK(lost > 5'000);
    CHECK(maker.recording->dropped() == lost);
    CHECK(maker.recording->bytes() <= options.limit_bytes);
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    REQUIRE(warning(**trace, "dropped_records"));
    CHECK(warning(**trace, "dropped_records")->text.find(std::to_string(lost)) == 0);
}
