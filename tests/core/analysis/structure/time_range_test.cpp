#include "core/analysis/structure/time_range.h"

#include <doctest/doctest.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

// One lane with three slices: a step on the CPU, its shadow on a GPU, and one more event.
Trace trace_with_step() {
    Trace trace;
    trace.origin = 1000;
    trace.end = 901'000;
    const StringId step = trace.strings.intern("ProfilerStep#4");
    trace.categories.push_back({trace.strings.intern("user_annotation"), EventClass::annotation});
    trace.processes.resize(2);
    trace.processes[1].is_gpu = true;
    for (const auto& [process, start, duration] :
         {std::tuple{0U, Nanos{5000}, Nanos{100}}, std::tuple{1U, Nanos{6000}, Nanos{9000}}}) {
        auto chunk = std::make_shared<Chunk>();
        chunk->start = Column<Nanos>::copy_of(std::vector<Nanos>{start});
        chunk->duration = Column<Nanos>::copy_of(std::vector<Nanos>{duration});
        chunk->name = Column<StringId>::copy_of(std::vector<StringId>{step});
        Lane lane;
        lane.process = process;
        lane.chunks.push_back(std::move(chunk));
        lane.slice_count = 1;
        trace.lanes.push_back(std::move(lane));
    }
    return trace;
}

}  // namespace

TEST_CASE("durations are exact decimals with a unit") {
    CHECK(parse_duration("1.5ms") == 1'500'000);
    CHECK(parse_duration(" 3 s ") == 3'000'000'000);
    CHECK(parse_duration("0") == 0);
    CHECK(parse_duration(".25us") == 250);
    CHECK(parse_duration("2µs") == 2000);
    CHECK(parse_duration("17ns") == 17);
    CHECK(parse_duration("17.000ns") == 17);
    // 2^53 + 1: a double cannot hold it.
    CHECK(parse_duration("9007199254740993ns") == 9'007'199'254'740'993);
    for (const char* wrong :
         {"", "5", "ms", ".ms", "1.2.3ms", "1.5ns", "-1ms", "1 m", "1e3ms", "99999999999s"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_duration(wrong).has_value());
    }
}

TEST_CASE("ranges count from the trace's start; a missing end is the trace's end") {
    const TraceContext trace(std::make_shared<const Trace>(trace_with_step()));
    CHECK(*parse_time_range(trace, "1us..2.5us") == TimeRange{2000, 3500});
    CHECK(*parse_time_range(trace, "1us..") == TimeRange{2000, 901'000});
    CHECK(*parse_time_range(trace, "..2us") == TimeRange{1000, 3000});
}

TEST_CASE("a step's range is that of its slice on the CPU") {
    const TraceContext trace(std::make_shared<const Trace>(trace_with_step()));
    CHECK(*parse_time_range(trace, "step:4") == TimeRange{5000, 5100});
    CHECK(*parse_time_range(trace, "step:4..4") == TimeRange{5000, 5100});
}

TEST_CASE("invalid ranges are usage errors with a message") {
    const TraceContext trace(std::make_shared<const Trace>(trace_with_step()));
    for (const char* wrong : {"1us", "2us..1us", "1us..1us", "x..2us", "1..2us", "step:5",
                              "step:", "step:4..", "step:4..5"}) {
        CAPTURE(wrong);
        const Result<TimeRange> range = parse_time_range(trace, wrong);
        REQUIRE_FALSE(range);
        CHECK(range.error().code == ErrorCode::usage);
        CHECK_FALSE(range.error().text.empty());
    }
    CHECK(parse_time_range(trace, "step:5").error().text.find("it has 4.") != std::string::npos);
    CHECK(parse_time_range(TraceContext(std::make_shared<const Trace>()), "step:5")
              .error()
              .text.find("no steps") != std::string::npos);
}

}  // namespace lanescope
