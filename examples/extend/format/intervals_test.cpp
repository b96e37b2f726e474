// Reads small files of intervals as load_trace() does with the formats in its list.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "examples/extend/format/intervals_format.h"
#include "tests/core/ingest/loaded_text.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

constexpr std::string_view kFile =
    "intervals 1\n"
    "load 1000 9001 main size=3 cold\n"
    "parse 2000 4500 main\n"
    "send 3000 x net\n"
    "back 9000 1000 main\n"
    "wait 3000 8000 net\n";

// A file of intervals, opened.
struct OpenIntervals {
    explicit OpenIntervals(std::string_view bytes) : memory(bytes) {
        const auto file = InputFile::open(memory.path());
        REQUIRE(file);
        input.file = *file;
        input.format = &intervals_format();
    }

    TracePtr load() const {
        TraceBuilder builder(nullptr,
                             {nullptr, [](Trace& trace) { intervals_format().describe(trace); }});
        const LoadOptions options;
        const auto read = intervals_format().read({input, options, 1, {}}, builder);
        REQUIRE(read);
        return std::make_shared<const Trace>(builder.finish(1));
    }

    MemoryFile memory;
    TraceInput input;
};

uint64_t source_of(const Trace& trace, SliceRef slice) {
    const auto [chunk, row] = trace.lanes[slice.lane].locate(slice.index);
    return chunk->source[row];
}

}  // namespace

TEST_CASE("intervals: only the example's format recognises its files") {
    const Probe probe{kFile, Compression::none};
    CHECK(intervals_format().recognise(probe).confidence == 100);
    for (const Format* const format : formats()) CHECK(format->recognise(probe).confidence == 0);
    CHECK(intervals_format().recognise({R"({"traceEvents": []})"}).confidence == 0);
    const Recognised packed = intervals_format().recognise({kFile, Compression::gzip});
    CHECK(packed.confidence == 0);
    CHECK(packed.advice == "unpack it first");
}

TEST_CASE("intervals: lines become nested slices on the lanes of their threads") {
    const TracePtr trace = OpenIntervals(kFile).load();
    CHECK(trace->facts.format == "intervals");
    CHECK(trace->slice_count() == 3);
    REQUIRE(trace->lanes.size() >= 2);
    const Lane& lane = trace->lanes[0];
    CHECK(trace->strings[lane.tid] == "main");
    CHECK(lane.depth_count == 2);
    CHECK(trace->name(SliceRef{0, 0}) == "load");
    CHECK(trace->start(SliceRef{0, 0}) == 1000);
    CHECK(trace->duration(SliceRef{0, 0}) == 8001);
    CHECK(trace->name(SliceRef{0, 1}) == "parse");
    CHECK(trace->strings[trace->lanes[1].tid] == "net");
    CHECK(trace->name(SliceRef{1, 0}) == "wait");
    CHECK(warned(*trace, "unreadable_line") == 2);
    CHECK(warned_at(*trace, "unreadable_line") == kFile.find("send"));
}

TEST_CASE("intervals: the note of a line is read again from the file") {
    const OpenIntervals file(kFile);
    const TracePtr trace = file.load();
    const auto reader = intervals_format().open_arguments(file.input);
    const auto note = reader->read(source_of(*trace, {0, 0}));
    REQUIRE(note);
    REQUIRE(note->size() == 1);
    CHECK(note->front().name == "note");
    CHECK(note->front().value == "size=3 cold");
    const auto none = reader->read(source_of(*trace, {0, 1}));
    REQUIRE(none);
    CHECK(none->empty());

    const auto scan = intervals_format().open_argument_scan(file.input);
    const auto scanned = scan->read(source_of(*trace, {0, 0}));
    REQUIRE(scanned);
    REQUIRE(scanned->size() == 1);
    CHECK(scanned->front().value == "size=3 cold");
}

TEST_CASE("intervals: a file that is cut anywhere keeps its whole lines") {
    for (std::size_t size = kFile.find('\n') + 1; size <= kFile.size(); ++size) {
        const std::string_view part = kFile.substr(0, size);
        CAPTURE(size);
        const auto ends_with_line = part.ends_with('\n');
        const auto lines = static_cast<uint64_t>(std::ranges::count(part, '\n')) - 1;
        const TracePtr trace = OpenIntervals(part).load();
        const uint64_t damaged = lines < 3 ? 0 : lines < 4 ? 1 : 2;
        CHECK(trace->slice_count() == lines - damaged);
        CHECK(warned(*trace, "truncated_file") == (ends_with_line ? 0 : 1));
    }
}
