#include "core/analysis/statistics/slices.h"

#include <doctest/doctest.h>

#include <string>

#include "core/export/tables/table_writer.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// A link of 60 contains a parse of 30 and an emit of 10; a parse on another thread contains another
// parse.
TracePtr two_threads() {
    TraceMaker maker;
    maker.process("1", "compiler");
    maker.lane({{{0, 60, "link", ""}, {10, 30, "parse", "front"}, {45, 10, "emit", "back"}}});
    maker.lane({{{100, 20, "parse", "front"}, {105, 10, "parse", "front"}}});
    return maker.finish();
}

}  // namespace

TEST_CASE("slices by name: recursive calls count again in totals, and once in self times") {
    const TracePtr trace = two_threads();
    const TraceContext context(trace);
    CHECK(write_table(slices_table(context, {}), TableFormat::csv) ==
          "name,short_name,category,calls,total_ns,self_ns,self_share,mean_ns,max_ns\n"
          "link,link,,1,60,20,0.25,60,60\n"
          "parse,parse,front,3,60,50,0.625,20,30\n"
          "emit,emit,back,1,10,10,0.125,10,10\n");
    // Slices that begin in the range, with their full durations.
    TableQuery query;
    query.range = TimeRange{45, 105};
    CHECK(write_table(slices_table(context, query), TableFormat::csv) ==
          "name,short_name,category,calls,total_ns,self_ns,self_share,mean_ns,max_ns\n"
          "parse,parse,front,1,20,10,0.5,20,20\n"
          "emit,emit,back,1,10,10,0.5,10,10\n");
    query.range = TimeRange{61, 62};
    CHECK(slices_table(context, query).row_count() == 0);
}

TEST_CASE("slices by name: each row leads to its longest; derived lanes and samples are left out") {
    TraceMaker maker;
    maker.process("1", "program");
    const LaneId thread = maker.lane({{{0, 5, "work", ""}, {10, 7, "work", ""}}});
    const LaneId copy = maker.lane({{{0, 99, "work", ""}}});
    maker.lane({{{0, 98, "work", ""}}}, LaneKind::samples);
    maker.trace().lanes[copy].derived = true;
    const TracePtr trace = maker.finish();
    const TraceContext context(trace);
    const Table table = slices_table(context, {});
    REQUIRE(table.row_count() == 1);
    CHECK(table.target(0).slice == SliceRef{thread, 1});
    CHECK(std::get<int64_t>(table.cell(0, 4)) == 12);
}

TEST_CASE("slices by name: joined traces give the rows of the part that is shown") {
    TraceMaker maker;
    maker.process("1", "a");
    maker.lane({{{0, 5, "work", ""}}});
    maker.process("2", "b");
    maker.lane({{{0, 7, "work", ""}}});
    maker.trace().processes[1].part = 1;
    maker.trace().only_part = 1;
    const TracePtr trace = maker.finish();
    const Table table = slices_table(TraceContext(trace), {});
    REQUIRE(table.row_count() == 1);
    CHECK(std::get<int64_t>(table.cell(0, 4)) == 7);
}
