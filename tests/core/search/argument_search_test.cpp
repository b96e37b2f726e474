#include "core/search/argument_search.h"

#include <doctest/doctest.h>

#include <string>

#include "core/ingest/load.h"
#include "core/trace/join.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/search/parsed.h"
#include "tests/core/temporary_file.h"

using namespace lanescope;
using lanescope::testing::parsed;
using namespace lanescope::testing;

namespace {

TracePtr load_file(const TemporaryFile& file, const TracePtr& vocabulary = nullptr) {
    LoadOptions options;
    options.workers = 2;
    options.vocabulary = vocabulary;
    const auto trace = load_trace(file.path(), options);
    REQUIRE(trace);
    return *trace;
}

Matches search(const TracePtr& trace, std::string_view text) {
    ArgumentProgress progress;
    auto found = search_arguments(trace, {{trace}}, parsed(text), {}, progress);
    if (!found) FAIL(found.error().text);
    CHECK(progress.part() == 1);
    return *found;
}

// Slice by slice, as the selection panel reads them.
bool has_argument(ArgumentReader& reader, uint64_t source, const std::string& part) {
    const auto arguments = reader.read(source);
    REQUIRE(arguments);
    for (const Argument& argument : *arguments)
        if (holds_text(argument.name + "=" + argument.value, part)) return true;
    return false;
}

// A step of `count` operators, each with arguments that the trace does not store.
std::string numbered(int count, const std::string& more = "") {
    std::string text = R"({"traceEvents":[)";
    for (int i = 0; i < count; ++i) {
        if (i > 0) text += ",\n";
        text += R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" +
                std::to_string(i * 10) + R"(,"dur":5,"args":{"round":)" + std::to_string(i % 7) +
                R"(,"note":"caf\u00e9 number )" + std::to_string(i) + "\"}}";
    }
    return text + more + "]}";
}

}  // namespace

TEST_CASE("matches in arguments equal a scan of every argument, in any file") {
    Random random(12);
    for (const Dialect dialect : kDialects) {
        const std::string text = trace_text(random_events(random, 3000), dialect);
        for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
            const TemporaryFile file(bytes);
            const TracePtr trace = load_file(file);
            const auto reader = open_arguments(trace);
            for (const std::string part : {"1", "stream=", "e"}) {
                CAPTURE(part);
                const Matches found = search(trace, "args:" + part);
                uint64_t count = 0;
                for (LaneId id = 0; id < trace->lanes.size(); ++id) {
                    for (const auto& chunk : trace->lanes[id].chunks) {
                        // Decoding a compressed text again for each slice takes long.
                        const uint32_t step = bytes == text ? 1 : 97;
                        for (uint32_t i = 0; i < chunk->size(); i += step)
                            REQUIRE(found.test({id, chunk->first + i}) ==
                                    has_argument(*reader, chunk->source[i], part));
                    }
                    count += found.lanes[id].count;
                }
                CHECK(found.count == count);
            }
        }
    }
}

TEST_CASE("arguments are searched with their escapes resolved, by name, value and both") {
    const TemporaryFile file(numbered(700));
    const TracePtr trace = load_file(file);
    CHECK(search(trace, "args:CAFÉ").count == 0);  // only A to Z match a to z
    CHECK(search(trace, "args:café").count == 700);
    CHECK(search(trace, "args:\"number 69\"").count == 11);
    CHECK(search(trace, "args:round").count == 700);
    CHECK(search(trace, "args:round=3").count == 100);
    CHECK(search(trace, "args:round=3 args:\"number 3\"").count == 17);
    CHECK(search(trace, "-args:round=3").count == 600);
    CHECK(search(trace, "args:round=3 dur>1ms").count == 0);
    CHECK(search(trace, "args:round=3 name:op").count == 100);
    CHECK(search(trace, "args:nowhere").count == 0);
    CHECK(matches_within(search(trace, "args:round=3"),
                         {.range = TimeRange{trace->origin, trace->origin + 200'000}})
              .count == 3);
}

TEST_CASE("a search in arguments reports matches as it finds them, and can be cancelled") {
    const TemporaryFile file(gzip(numbered(200'000)));
    const TracePtr trace = load_file(file);
    ArgumentProgress progress;
    uint64_t last = 0;
    const auto found =
        search_arguments(trace, {{trace}}, parsed("args:round=3"), {}, progress, [&](Matches some) {
            CHECK(some.count >= last);
            last = some.count;
        });
    REQUIRE(found);
    CHECK(found->count == 28'571);
    CHECK(last <= found->count);
    ArgumentProgress stopped;
    stopped.stop = true;
    const auto none = search_arguments(trace, {{trace}}, parsed("args:round"), {}, stopped);
    REQUIRE(none);
    CHECK(none->count == 0);
    CHECK(stopped.bytes_done == 0);
}

TEST_CASE("a truncated or damaged event has no arguments; later events have theirs") {
    const std::string bad =
        R"(,{"ph":"X","name":"bad","pid":1,"tid":1,"ts":9000,"dur":1,"args":{"round":3,,,}},)"
        R"({"ph":"X","name":"good","pid":1,"tid":1,"ts":9100,"dur":1,"args":{"round":3}})";
    const TemporaryFile file(numbered(14, bad));
    const TracePtr trace = load_file(file);
    CHECK(search(trace, "args:round=3 name:op").count == 2);
    CHECK(search(trace, "args:round=3 name:good").count == 1);
}

TEST_CASE("a file that changed after loading is reported") {
    const TemporaryFile file(numbered(20));
    const TracePtr trace = load_file(file);
    file.write(numbered(30));
    ArgumentProgress progress;
    const auto found = search_arguments(trace, {{trace}}, parsed("args:round"), {}, progress);
    REQUIRE(!found);
    CHECK(found.error().text.find("has changed") != std::string::npos);
}

TEST_CASE("with several files, each is read for its own lanes") {
    const TemporaryFile first(numbered(100), "first.json");
    const TemporaryFile second(gzip(numbered(50)), "second.json.gz");
    const TracePtr a = load_file(first);
    const TracePtr b = load_file(second, a);
    const auto joined = join_traces({{a, 0, "first"}, {b, 0, "second"}});
    REQUIRE(joined);
    ArgumentProgress progress;
    const auto found =
        search_arguments(joined->whole, joined->parts, parsed("args:\"number 4\""), {}, progress);
    REQUIRE(found);
    CHECK(found->count == 2 * 11);
    CHECK(progress.part() == 1);
    CHECK(progress.bytes_done == progress.bytes_total);
}
