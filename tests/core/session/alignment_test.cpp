// The alignment of several traces, and their names.
#include "core/session/alignment.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/ingest/load.h"
#include "core/session/part_names.h"
#include "core/trace/join.h"
#include "tests/core/memory_file.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// A step and a kernel, from `at` microseconds on.
std::string text(int64_t at, const std::string& more = "") {
    const auto event = [&](const char* name, int64_t ts) {
        return R"({"ph":"X","cat":"user_annotation","pid":1,"tid":1,"dur":5,"name":")" +
               std::string(name) + R"(","ts":)" + std::to_string(at + ts) + "}";
    };
    return "{" + more + R"("traceEvents":[)" + event("before", 0) + "," +
           event("ProfilerStep#7", 100) + "," + event("ProfilerStep#8", 300) + "," +
           event("kernel of interest", 410) + "]}";
}

TracePtr load(const MemoryFile& file, const TracePtr& vocabulary = nullptr) {
    LoadOptions options;
    options.vocabulary = vocabulary;
    const auto trace = load_trace(file.path(), options);
    REQUIRE(trace);
    return *trace;
}

TracePtr named(const char* path, const std::string& metadata) {
    auto trace = std::make_shared<Trace>();
    trace->path = path;
    if (!metadata.empty()) trace->metadata = {{"distributedInfo", metadata}};
    return trace;
}

}  // namespace

TEST_CASE("Alignments are parsed as written") {
    for (const char* written : {"start", "clock", "step:12", "event:ncclKernel"}) {
        const auto alignment = parse_alignment(written);
        REQUIRE(alignment);
        CHECK(alignment_text(*alignment) == written);
    }
    for (const char* wrong : {"", "step:", "step:x", "step:-1", "step:4x", "event:", "end"})
        CHECK(!parse_alignment(wrong));
}

TEST_CASE("Traces are aligned by start, step and event, whatever their offsets") {
    const MemoryFile a(text(1000));
    const MemoryFile b(text(777'000));
    const TracePtr first = load(a);
    const TracePtr second = load(b, first);
    constexpr Nanos distance = 776'000'000;
    std::vector<TracePtr> traces = {first, second};
    for (int round = 0; round < 2; ++round) {
        for (const char* by : {"start", "step:8", "event:kernel of interest", "event:of inter"}) {
            const auto aligned = align_traces(traces, *parse_alignment(by));
            REQUIRE(aligned);
            CHECK(aligned->offsets == std::vector<Nanos>{0, -distance});
        }
        // Without a clock, the best alignment is by start.
        const auto best = align_traces(traces, {});
        REQUIRE(best);
        CHECK(best->by == AlignBy::start);
        CHECK(!align_traces(traces, *parse_alignment("clock")));
        CHECK(!align_traces(traces, *parse_alignment("step:9")));
        CHECK(!align_traces(traces, *parse_alignment("event:nothing like it")));
        const auto joined = join_traces(named_parts(traces, {0, 4321}));
        REQUIRE(joined);
        traces = joined->parts;
    }
}

TEST_CASE("Clocks align traces recorded together, not those of another day") {
    const std::string base = R"("baseTimeNanoseconds":1700000000000000000,)";
    const std::string later = R"("baseTimeNanoseconds":1700000000000050000,)";
    const std::string next_day = R"("baseTimeNanoseconds":1700086400000000000,)";
    const MemoryFile a(text(1000, base));
    const MemoryFile b(text(1000, later));
    const MemoryFile c(text(1000, next_day));
    const TracePtr first = load(a);
    const TracePtr second = load(b, first);
    const TracePtr third = load(c, second);
    const auto close = align_traces({first, second}, {});
    REQUIRE(close);
    CHECK(close->by == AlignBy::clock);
    CHECK(close->offsets == std::vector<Nanos>{0, 50'000});
    const auto far = align_traces({first, third}, {});
    REQUIRE(far);
    CHECK(far->by == AlignBy::start);
    const auto asked = align_traces({first, third}, *parse_alignment("clock"));
    REQUIRE(asked);
    CHECK(asked->offsets[1] == 86'400'000'000'000);
    const auto joined = join_traces(named_parts({first, third}, {0, 999}));
    REQUIRE(joined);
    CHECK(align_traces(joined->parts, *parse_alignment("clock"))->offsets == asked->offsets);
}

TEST_CASE("Two ranks of one job are aligned by their common clock") {
    const auto check = [](const TracePtr& first, const TracePtr& second, const char* step,
                          Nanos distance) {
        const auto aligned = align_traces({first, second}, {});
        REQUIRE(aligned);
        CHECK(aligned->by == AlignBy::clock);
        CHECK(aligned->offsets == std::vector<Nanos>{0, 0});
        const auto steps = align_traces({first, second}, *parse_alignment(step));
        REQUIRE(steps);
        CHECK(steps->offsets[1] == -distance);
        CHECK(part_names({first, second}) == std::vector<std::string>{"rank 0", "rank 1"});
    };
    const auto of_rank = [](int rank) {
        return fmt::format(R"("baseTimeNanoseconds":1700000000000000000,)"
                           R"("distributedInfo":{{"rank":{},"world_size":2}},)",
                           rank);
    };
    const MemoryFile a(text(1000, of_rank(0)));
    const MemoryFile b(text(1785, of_rank(1)));
    const TracePtr first = load(a);
    check(first, load(b, first), "step:8", 785'000);
    if (!has_real_traces()) return;
    const auto real = load_trace(real_trace("torch/two_ranks/rank-0.json.gz"));
    REQUIRE(real);
    LoadOptions options;
    options.vocabulary = *real;
    const auto second = load_trace(real_trace("torch/two_ranks/rank-1.json.gz"), options);
    REQUIRE(second);
    check(*real, *second, "step:552", 785'000);  // 687438 − 686653 µs, as in the files
}

TEST_CASE("Traces are named by rank, or by the differing part of their file names") {
    const char* zero = R"({"rank":0,"world_size":2})";
    const char* one = R"({"rank":1,"world_size":2})";
    using Names = std::vector<std::string>;
    CHECK(part_names({named("a.json", zero), named("b.json", one)}) == Names{"rank 0", "rank 1"});
    CHECK(part_names({named("a.json", zero), named("b.json", zero)}) == Names{"a", "b"});
    CHECK(part_names({named("a.json", zero), named("b.json", "")}) == Names{"a", "b"});
    CHECK(part_names({named("x/run.json.gz", ""), named("y/run.json.gz", "")}) ==
          Names{"run", "run (2)"});
    CHECK(part_names({named("node7_123456789.10.pt.trace.json", ""),
                      named("node7_123456789.11.pt.trace.json", "")}) == Names{"10", "11"});
    CHECK(part_names({named("training_baseline_step.json", ""),
                      named("training_compiled_step.json", "")}) == Names{"baseline", "compiled"});
    CHECK(part_names({named("a_long_name_of_a_trace.json", ""),
                      named("a_long_name_of_a_trace_2.json", "")})
              .size() == 2);
}
