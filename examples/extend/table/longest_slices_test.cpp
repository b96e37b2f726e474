#include "examples/extend/table/longest_slices.h"

#include <doctest/doctest.h>

#include <string>

#include "core/export/tables/table_writer.h"
#include "core/ingest/load.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// Two threads: one with nested slices in two chunks, and one with slices of equal length.
TracePtr two_threads() {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{1000, 400, "load"}, {1100, 200, "parse"}}, {{1500, 600, "run"}}});
    maker.lane({{{1200, 100, "a"}, {1400, 100, "b"}}});
    maker.trace().origin = 1000;
    return maker.finish();
}

std::string csv_of(const Table& table) {
    return write_table(table, TableFormat::csv);
}

}  // namespace

TEST_CASE("longest: a row for each lane with slices") {
    const TraceContext context(two_threads());
    const Table table = longest_slices_table(context, {});
    REQUIRE(table.row_count() == 2);
    const std::string text = csv_of(table);
    CHECK(text.starts_with("lane,tid,name,start_ns,duration_ns,slices,mean_ns\n"));
    CHECK(text.find(",run,500,600,3,400\n") != std::string::npos);
    CHECK(text.find(",a,200,100,2,100\n") != std::string::npos);
    CHECK(table.target(0).slice == SliceRef{0, 2});
}

TEST_CASE("longest: only slices that begin in the range count") {
    const TraceContext context(two_threads());
    const std::string text = csv_of(longest_slices_table(context, {TimeRange{1000, 1300}}));
    CHECK(text.find(",load,0,400,2,300\n") != std::string::npos);
    CHECK(text.find(",a,200,100,1,100\n") != std::string::npos);
    CHECK(longest_slices_table(context, {TimeRange{0, 10}}).row_count() == 0);
}

TEST_CASE("longest: no slice of a sample is longer than the row of its lane") {
    const auto trace = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(trace);
    const Table table = longest_slices_table(TraceContext(*trace), {});
    CHECK(table.row_count() > 5);
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const SliceRef longest = table.target(row).slice;
        for (uint32_t i = 0; i < (*trace)->lanes[longest.lane].slice_count; ++i)
            CHECK((*trace)->duration({longest.lane, i}) <= (*trace)->duration(longest));
    }
}
