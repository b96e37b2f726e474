#include "core/analysis/structure/lanes.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

struct Span {
    Nanos start;
    Nanos duration;
    CategoryId category = 0;
};

Lane lane_of(const std::vector<Span>& spans) {
    RawSlices raw;
    raw.start = Column<Nanos>(spans.size());
    raw.duration = Column<Nanos>(spans.size());
    raw.name = Column<StringId>(spans.size());
    raw.category = Column<CategoryId>(spans.size());
    raw.source = Column<uint64_t>(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
        raw.start[i] = spans[i].start;
        raw.duration[i] = spans[i].duration;
        raw.name[i] = 0;
        raw.category[i] = spans[i].category;
        raw.source[i] = i;
    }
    NestingResult nested = nest(std::move(raw));
    Lane lane;
    lane.slice_count = nested.chunk.size();
    lane.depth_count = static_cast<uint32_t>(nested.chunk.rows.size());
    lane.chunks.push_back(std::make_shared<Chunk>(std::move(nested.chunk)));
    return lane;
}

// Nested, separate, and two that overlap partly: 0–100, 150–220.
const std::vector<Span> kSpans = {{0, 100}, {10, 20}, {40, 60}, {150, 50}, {180, 40}};

int64_t integer(const Table& table, const char* column) {
    return std::get<int64_t>(table.cell(0, *find_column(table.spec(), column)));
}

Trace trace_of(Lane lane) {
    Trace trace;
    trace.processes.resize(1);
    trace.processes[0].pid = trace.strings.intern("42");
    lane.name = trace.strings.intern("thread 1");
    trace.lanes.push_back(std::move(lane));
    return trace;
}

}  // namespace

TEST_CASE("busy time is the union of a lane's slices, including partial overlaps") {
    const Trace trace;
    const Lane lane = lane_of(kSpans);
    CHECK(busy_time(trace, lane, std::nullopt) == 100 + 70);
    CHECK(busy_time(trace, lane, TimeRange{90, 160}) == 10 + 10);
    CHECK(busy_time(trace, lane, TimeRange{100, 150}) == 0);
    CHECK(busy_time(trace, Lane(), std::nullopt) == 0);
}

TEST_CASE("a stream's busy time excludes annotations") {
    Trace trace;
    trace.categories = {{0, EventClass::annotation}, {0, EventClass::kernel}};
    Lane stream = lane_of({{0, 1000, 0}, {10, 20, 1}, {500, 30, 1}});
    stream.kind = LaneKind::stream;
    CHECK(busy_time(trace, stream, std::nullopt) == 20 + 30);
    stream.kind = LaneKind::thread;
    CHECK(busy_time(trace, stream, std::nullopt) == 1000);
}

TEST_CASE("a lane's row counts what overlaps the range, with times from the origin") {
    Trace trace = trace_of(lane_of(kSpans));
    trace.origin = -5;
    const Table all = lanes_table(trace, std::nullopt);
    REQUIRE(all.row_count() == 1);
    CHECK(integer(all, "slices") == 5);
    CHECK(integer(all, "start_ns") == 5);
    CHECK(integer(all, "end_ns") == 225);
    const Table part = lanes_table(trace, TimeRange{35, 170});
    CHECK(integer(part, "slices") == 3);
    CHECK(integer(part, "start_ns") == 40);
    CHECK(integer(part, "end_ns") == 175);
    CHECK(integer(part, "busy_ns") == 65 + 20);
}

TEST_CASE("instants are counted; a lane without events in the range has no times") {
    Lane lane;
    auto instants = std::make_shared<Instants>();
    instants->time = Column<Nanos>::copy_of(std::vector<Nanos>{10, 20});
    lane.instants = std::move(instants);
    const Trace trace = trace_of(std::move(lane));
    const Table all = lanes_table(trace, std::nullopt);
    CHECK(integer(all, "instants") == 2);
    CHECK(integer(all, "end_ns") == 20);
    const Table none = lanes_table(trace, TimeRange{11, 20});
    CHECK(integer(none, "instants") == 0);
    CHECK(std::holds_alternative<std::monostate>(
        none.cell(0, *find_column(none.spec(), "start_ns"))));
    CHECK(
        std::holds_alternative<std::monostate>(none.cell(0, *find_column(none.spec(), "points"))));
}

}  // namespace lanescope
