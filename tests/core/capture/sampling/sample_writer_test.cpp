#include "core/capture/sampling/sample_writer.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/ingest/load.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::SpoolMaker;

namespace {

constexpr uint64_t kCodeMapping = 0x10000;  // a page of code, in no file
constexpr uint64_t kNoCode = 0x90000;

// The names of one sample's calls, outermost first; `frames` are innermost first.
std::vector<std::string> calls_of(std::vector<uint64_t> frames) {
    SpoolMaker maker;
    {
        SampleWriter writer(maker.file(), 1'000'000);
        writer.tie_clock();
        PerfRecord record;
        record.kind = PerfKind::mapping;
        record.pid = record.tid = 17;
        record.address = kCodeMapping;
        record.bytes = 0x1000;
        record.text = "//anon";
        writer.take(record);
        record.kind = PerfKind::sample;
        record.time = 1'000'000;
        record.frames = std::move(frames);
        writer.take(record);
        writer.tie_clock();
    }
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    std::vector<std::string> names;
    for (uint32_t i = 0; i < (*trace)->lanes[0].slice_count; ++i)
        names.emplace_back((*trace)->name({0, i}));
    return names;
}

}  // namespace

TEST_CASE("a stack ends at the first caller that is not code") {
    std::vector<uint64_t> circle(127, kNoCode);
    circle[0] = kCodeMapping + 8;
    CHECK(calls_of(circle).size() == 1);
    circle[1] = kCodeMapping + 16;
    CHECK(calls_of(circle).size() == 2);
    // Recursion is kept.
    CHECK(calls_of(std::vector<uint64_t>(100, kCodeMapping + 8)).size() == 100);
    CHECK(calls_of({kCodeMapping + 8, kNoCode, kCodeMapping + 16}).size() == 1);
}

TEST_CASE("after lost records the mappings of a sampled process are read again") {
    for (const bool loses : {false, true}) {
        CAPTURE(loses);
        SpoolMaker maker;
        {
            SampleWriter writer(maker.file(), 1'000'000);
            writer.tie_clock();
            PerfRecord record;
            record.kind = PerfKind::mapping;
            record.pid = record.tid = static_cast<uint32_t>(getpid());
            record.address = kCodeMapping;
            record.bytes = 0x1000;
            record.text = "//anon";
            writer.take(record);
            record.kind = PerfKind::lost;
            record.time = 5;
            record.count = 1;
            if (loses) writer.take(record);
            record.kind = PerfKind::sample;
            record.time = 1'000'000;
            const auto unknown = reinterpret_cast<uint64_t>(&calls_of) + 4;
            record.frames = {kCodeMapping + 8, unknown, kCodeMapping + 16};
            writer.take(record);
            writer.tie_clock();
        }
        maker.recording->finish();
        const auto trace = load_trace(maker.path());
        REQUIRE(trace);
        CHECK((*trace)->lanes[0].slice_count == (loses ? 3 : 1));
    }
}

TEST_CASE("a recording says how many stacks were not unwound") {
    SpoolMaker maker;
    {
        SampleWriter writer(maker.file(), 1'000'000);
        writer.tie_clock();
        PerfRecord record;
        record.pid = record.tid = 17;
        record.time = 1'000'000;
        record.frames = {kCodeMapping};
        writer.take(record);
        record.time = 2'000'000;
        record.is_stack_dropped = true;
        writer.take(record);
        writer.tie_clock();
        writer.record_lost(0);
    }
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    REQUIRE((*trace)->warnings.size() == 1);
    CHECK((*trace)->warnings[0].code == "recorder_note");
    CHECK((*trace)->warnings[0].text.find("1 of 2 sampled stacks were not unwound") !=
          std::string::npos);
}
