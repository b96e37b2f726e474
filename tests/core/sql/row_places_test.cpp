#include "core/sql/row_places.h"

#include <doctest/doctest.h>

#include "core/sql/traces.h"
#include "tests/core/sql/sql_text.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

// Slices 0 "outer" at 100 for 50, 1 "inner" at 110 for 10; instant 2 at 120.
TracePtr nested_pair() {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{100, 50, "outer"}, {110, 10, "inner"}}});
    maker.instants({120});
    maker.trace().origin = 100;
    maker.trace().end = 1'000'000;
    return maker.finish();
}

// The places of the rows of a query.
std::vector<RowTarget> places(const std::string& query, std::size_t count = 1) {
    SqlTraces traces;
    std::vector<QueriedTrace> queried;
    for (std::size_t i = 0; i < count; ++i) {
        const TracePtr trace = nested_pair();
        traces.connections.push_back(testing::connect(trace));
        traces.names.push_back("rank " + std::to_string(i));
        queried.push_back({traces.names.back(), trace, std::make_shared<const SliceRows>(*trace)});
    }
    Result<Table> table = traces.run(query);
    if (!table) FAIL(query << ": " << table.error().text);
    const Table placed = with_row_places(std::move(*table), std::move(queried));
    std::vector<RowTarget> targets;
    for (std::size_t row = 0; row < placed.row_count(); ++row)
        targets.push_back(placed.target(row));
    return targets;
}

RowTarget place(const std::string& query) {
    const std::vector<RowTarget> all = places(query);
    REQUIRE(all.size() == 1);
    return all.front();
}

}  // namespace

TEST_CASE("A row with the id of a slice that agrees with it leads to the slice") {
    const std::vector<RowTarget> all = places("select * from slice where dur > 0 order by id");
    REQUIRE(all.size() == 2);
    CHECK(all[0].slice == SliceRef{0, 0});
    CHECK(all[1].slice == SliceRef{0, 1});
    CHECK(place("select id, name from slice where name = 'inner'").slice == SliceRef{0, 1});
    CHECK(place("select id, ts from slice where name = 'inner'").slice == SliceRef{0, 1});
    CHECK(place("select id as slice_id from slice where name = 'inner'").slice == SliceRef{0, 1});
}

TEST_CASE("An id of something else leads to no slice") {
    CHECK(!place("select 1 as id"));
    CHECK(!place("select 1 as id, 'other' as name"));
    CHECK(!place("select 1 as slice_id, 'other' as name"));
    CHECK(!place("select -1 as slice_id"));
    CHECK(!place("select 2 as slice_id"));  // the instant
    CHECK(!place("select 1000000000000 as slice_id"));
    CHECK(!place("select 'x' as slice_id, 'inner' as name"));
    // The row's time differs from the slice's, so the row leads to its time.
    const RowTarget gap = place("select 1 as id, 105 as ts, 10 as dur, 'inner' as name");
    CHECK(!gap.slice);
    CHECK(gap.range.begin == 105);
    CHECK(gap.range.end == 115);
    CHECK(!place("select 1 as id, 110 as ts, 11 as dur").slice);
}

TEST_CASE("A row with a time leads to the time, if the trace has it") {
    const RowTarget range = place("select 100 as ts, 50 as dur");
    CHECK(range.range.begin == 100);
    CHECK(range.range.end == 150);
    const RowTarget point = place("select 200 as ts");
    CHECK(point.range.begin == 200 - 5000);
    CHECK(point.range.end == 200 + 5000);
    CHECK(place("select ts, name from instant").range.length() == 10'000);
    // In our tables, start_ns counts from the trace's origin, which is 100 here.
    const RowTarget ours = place("select 7 as start_ns, 3 as duration_ns");
    CHECK(ours.range.begin == 107);
    CHECK(ours.range.end == 110);
    CHECK(!place("select 99 as ts"));
    CHECK(!place("select 1000001 as ts"));
    CHECK(!place("select 9223372036854775807 as ts, 9223372036854775807 as dur"));
    CHECK(!place("select 100 as ts, 9223372036854775807 as dur"));
    CHECK(!place("select 9223372036854775807 as start_ns"));
    CHECK(!place("select 100.5 as ts"));
    CHECK(!place("select null as ts"));
    CHECK(!place("select 'noon' as ts"));
    CHECK(!place("select 5 as number"));
}

TEST_CASE("With several traces, the column trace says to which one a row belongs") {
    const std::vector<RowTarget> all = places("select id, name from slice where id = 1", 2);
    REQUIRE(all.size() == 2);
    CHECK(all[0].slice == SliceRef{0, 1});
    CHECK(all[1].slice == SliceRef{0, 1});
}

TEST_CASE("SQL over one of several traces has no column trace") {
    SqlTraces traces;
    for (const char* const name : {"a", "b"}) {
        traces.connections.push_back(testing::connect(nested_pair()));
        traces.names.emplace_back(name);
    }
    const Result<Table> all = traces.run("select count(*) as n from slice");
    REQUIRE(all);
    CHECK(write_table(*all, TableFormat::csv) == "trace,n\na,3\nb,3\n");
    const Result<Table> one = traces.run("select count(*) as n from slice", {}, 1);
    REQUIRE(one);
    CHECK(write_table(*one, TableFormat::csv) == "n\n3\n");
    const Result<Table> wrong = traces.run("select\n  nothing");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().byte_offset == 9);
}

}  // namespace lanescope
