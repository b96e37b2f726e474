#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "core/ingest/argument_scan.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/ingest/spall_file.h"
#include "tests/core/trace_description.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// Process, thread, start, duration and name of every slice.
using Slice = std::tuple<std::string, std::string, Nanos, Nanos, std::string>;

std::vector<Slice> slices_of(const Trace& trace) {
    std::vector<Slice> slices;
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i)
                slices.emplace_back(trace.strings[trace.processes[lane.process].pid],
                                    trace.strings[lane.tid], chunk->start[i], chunk->duration[i],
                                    trace.strings[chunk->name[i]]);
    std::sort(slices.begin(), slices.end());
    return slices;
}

std::string two_calls() {
    SpallFile file;
    file.begin(7, 9, 10.5, "outer", "a=1");
    file.begin(7, 9, 11, "inner");
    file.end(7, 9, 12.25);
    file.end(7, 9, 14.5);
    return file.bytes();
}

}  // namespace

TEST_CASE("Spall: begins and ends become nested slices with exact times") {
    const TracePtr trace = loaded(two_calls());
    CHECK(slices_of(*trace) == std::vector<Slice>{{"7", "9", 10'500, 4'000, "outer"},
                                                  {"7", "9", 11'000, 1'250, "inner"}});
    CHECK(trace->lanes.size() == 1);
    CHECK(trace->lanes[0].depth_count == 2);
    CHECK(trace->facts.format == "spall");
    CHECK(trace->facts.events == 4);
    CHECK(trace->facts.phases == std::map<std::string, uint64_t>{{"begin", 2}, {"end", 2}});
    CHECK(trace->warnings.empty());
}

TEST_CASE("Spall: the header's unit of time applies") {
    SpallFile file(0.001 / 3);  // three ticks a nanosecond
    file.begin(1, 1, 3e12, "a");
    file.end(1, 1, 3e12 + 7);
    CHECK(slices_of(*loaded(file.bytes())) ==
          std::vector<Slice>{{"1", "1", 1'000'000'000'000, 2, "a"}});
}

TEST_CASE("Spall: gzip and zstd files give the same trace, arguments included") {
    const std::string plain = two_calls();
    for (const std::string& bytes : {plain, gzip(plain), zstd(plain)}) {
        const MemoryFile file(bytes);
        const auto trace = load_trace(file.path());
        REQUIRE(trace);
        const Chunk& chunk = *(*trace)->lanes[0].chunks[0];
        const auto reader = open_arguments(*trace);
        const auto scan = open_argument_scan(*trace);
        for (uint32_t i = 0; i < chunk.size(); ++i) {
            const auto arguments = reader->read(chunk.source[i]);
            const auto scanned = scan->read(chunk.source[i]);
            REQUIRE(arguments);
            REQUIRE(scanned);
            const bool outer = (*trace)->strings[chunk.name[i]] == "outer";
            REQUIRE(arguments->size() == (outer ? 1 : 0));
            REQUIRE(scanned->size() == arguments->size());
            if (!outer) continue;
            CHECK(arguments->front().name == "args");
            CHECK(arguments->front().value == "a=1");
            CHECK(resolved(*scanned).front().value == "a=1");
        }
    }
}

TEST_CASE("Spall: the same calls as in Chrome's format give the same slices") {
    std::mt19937 random(5);
    SpallFile file;
    std::string text = "[";
    std::map<std::pair<int, int>, std::vector<int>> open;
    uint64_t time = 1000;
    for (int i = 0; i < 100'000; ++i) {
        time += random() % 50;
        const int pid = static_cast<int>(random() % 3);
        const int tid = static_cast<int>(random() % 4);
        std::vector<int>& stack = open[{pid, tid}];
        const bool begins = stack.empty() || (stack.size() < 20 && random() % 2 == 0);
        const std::string name = fmt::format("call \\ \"{}\" é", random() % 90);
        const auto when = static_cast<double>(time);
        if (begins) {
            stack.push_back(i);
            file.begin(pid, tid, when, name);
        } else {
            stack.pop_back();
            file.end(pid, tid, when);
        }
        if (random() % 100 == 0) file.pad(random() % 3000);
        std::string escaped;
        for (const char c : name) {
            if (c == '"' || c == '\\') escaped += '\\';
            escaped += c;
        }
        text += fmt::format(R"({}{{"ph": "{}", "pid": {}, "tid": {}, "ts": {}, "name": "{}"}})",
                            i == 0 ? "" : ",", begins ? 'B' : 'E', pid, tid, time, escaped);
    }
    const TracePtr spall = loaded(file.bytes());
    const TracePtr chrome = loaded(text + "]");
    CHECK(slices_of(*spall).size() > 40'000);
    CHECK(slices_of(*spall) == slices_of(*chrome));
    CHECK(warned(*spall, "unclosed_begin") == warned(*chrome, "unclosed_begin"));
}

TEST_CASE("Spall: snapshots during the load do not change the trace") {
    SpallFile file;
    for (int i = 0; i < 200'000; ++i) {
        file.begin(1, 2, 2 * i, "call");
        file.end(1, 2, 2 * i + 1);
    }
    LoadOptions options;
    LoadProgress progress;
    options.progress = &progress;
    options.on_snapshot = [](const TracePtr& trace) { CHECK(trace->facts.format == "spall"); };
    const MemoryFile memory(file.bytes());
    const auto watched = load_trace(memory.path(), options);
    REQUIRE(watched);
    CHECK(describe(**watched) == describe(**load_trace(memory.path())));
    CHECK(progress.events == 400'000);
    progress.cancel = true;
    const auto stopped = load_trace(memory.path(), options);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("Spall: a cut file keeps everything before the cut") {
    const std::string whole = two_calls();
    for (std::size_t size = 1; size < whole.size(); ++size) {
        CAPTURE(size);
        const Result<TracePtr> trace = load_bytes(whole.substr(0, size));
        const std::size_t first_event = 32 + 20 + 5 + 3;
        REQUIRE(static_cast<bool>(trace) == (size >= first_event));
        if (!trace) {
            CHECK_FALSE(trace.error().text.empty());
            continue;
        }
        const bool between_events = size == 60 || size == 85 || size == 102;
        CHECK(warned(**trace, "truncated_file") == !between_events);
        CHECK((*trace)->slice_count() == (size < 85 ? 1 : 2));
    }
}

TEST_CASE("Spall: an unknown record ends the reading, with its place") {
    SpallFile file;
    file.begin(1, 1, 1, "a");
    file.end(1, 1, 2);
    const uint64_t place = file.bytes().size();
    file.kind(200);
    file.begin(1, 1, 3, "b");
    const TracePtr trace = loaded(file.bytes());
    CHECK(trace->slice_count() == 1);
    CHECK(warned_at(*trace, "unknown_record") == place);
}

TEST_CASE("Spall: the end of the stream ends the reading without a warning") {
    SpallFile file;
    file.begin(1, 1, 1, "a");
    file.end(1, 1, 2);
    file.kind(2);
    file.begin(1, 1, 3, "b");
    const TracePtr trace = loaded(file.bytes());
    CHECK(trace->slice_count() == 1);
    CHECK(trace->warnings.empty());
}

TEST_CASE("Spall: times that are not numbers are counted, and names are repaired") {
    SpallFile file;
    file.begin(1, 1, std::numeric_limits<double>::quiet_NaN(), "lost");
    file.begin(1, 1, 1e300, "lost");
    file.begin(1, 1, 1, "\xff\\n");
    file.end(1, 1, 2);
    const TracePtr trace = loaded(file.bytes());
    CHECK(warned(*trace, "unreadable_time") == 2);
    CHECK(warned_at(*trace, "unreadable_time") == 32);
    CHECK(slices_of(*trace) == std::vector<Slice>{{"1", "1", 1000, 1000, "\xEF\xBF\xBD\\n"}});
}

TEST_CASE("Spall: other versions and invalid units are refused with the reason") {
    SpallFile newer(1, 3);
    newer.begin(1, 1, 1, "a");
    const Result<TracePtr> version = load_bytes(newer.bytes());
    REQUIRE_FALSE(version);
    CHECK(version.error().text.find("version 3") != std::string::npos);
    for (const double unit : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
        SpallFile file(unit);
        file.begin(1, 1, 1, "a");
        const Result<TracePtr> trace = load_bytes(file.bytes());
        REQUIRE_FALSE(trace);
        CHECK(trace.error().text.find("unit of time") != std::string::npos);
    }
}
