#include "ui/panels/lanes_panel.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <variant>

#include "core/analysis/structure/lanes.h"
#include "core/ingest/load.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

int64_t integer(const Table& table, std::size_t row, const char* column) {
    const Cell cell = table.cell(row, *find_column(table.spec(), column));
    const auto* value = std::get_if<int64_t>(&cell);
    return value ? *value : 0;
}

std::string text(const Table& table, std::size_t row, const char* column) {
    return std::string(
        std::get<std::string_view>(table.cell(row, *find_column(table.spec(), column))));
}

}  // namespace

TEST_CASE("neither annotations nor nested slices add to a stream's busy time") {
    TraceMaker maker;
    maker.process("0", "GPU", true);
    maker.lane({{{0, 1000, "step", "gpu_user_annotation"},
                 {100, 50, "gemm", "kernel"},
                 {300, 20, "copy", "gpu_memcpy"}}},
               LaneKind::stream);
    maker.process("1", "python");
    maker.lane({{{0, 400}, {10, 100}, {350, 100}}});
    maker.trace().origin = 0;
    const TracePtr trace = maker.finish();
    const auto unknown = lane_rows(*trace);
    REQUIRE(unknown.size() == 2);
    CHECK(!unknown[0].busy);
    const auto rows = with_busy_times(*trace, unknown);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].busy == 70);
    CHECK(rows[1].busy == 450);
}

TEST_CASE("the panel's lanes equal the command line's table") {
    for (const char* sample :
         {"synthetic_step", "torch_cpu/threads_jit", "torch_cpu/convnet_stack"}) {
        CAPTURE(sample);
        const auto trace =
            load_trace(LANESCOPE_ROOT "/assets/samples/" + std::string(sample) + ".json.gz");
        REQUIRE(trace);
        const Table table = lanes_table(**trace, std::nullopt);
        const auto rows = with_busy_times(**trace, lane_rows(**trace));
        REQUIRE(!rows.empty());
        for (const LaneRow& row : rows) {
            CAPTURE(row.name);
            CHECK(row.name == text(table, row.lane, "lane"));
            CHECK(row.kind == text(table, row.lane, "kind"));
            CHECK(row.busy == integer(table, row.lane, "busy_ns"));
            CHECK(row.first == integer(table, row.lane, "start_ns"));
            CHECK(row.depth == integer(table, row.lane, "depth"));
            CHECK(static_cast<int64_t>(row.events) == integer(table, row.lane, "slices") +
                                                          integer(table, row.lane, "instants") +
                                                          integer(table, row.lane, "points"));
        }
    }
}
