#include "core/analysis/collectives/collectives.h"

#include <doctest/doctest.h>

#include "core/analysis/statistics/histogram.h"
#include "tests/core/real_traces.h"

namespace lanescope {

TEST_CASE("collectives are recognised however their names are spelt") {
    CHECK(collective_type_of("_allgather_base") == CollectiveType::all_gather);
    CHECK(collective_type_of("nccl:all_reduce") == CollectiveType::all_reduce);
    CHECK(collective_type_of("all_to_allv") == CollectiveType::all_to_all);
    CHECK(collective_type_of("c10d::_reduce_scatter_base_") == CollectiveType::reduce_scatter);
    CHECK(collective_type_of("ncclDevKernel_Generic(ncclDevComm*)") == CollectiveType::unknown);
}

TEST_CASE("bus bandwidth is computed as nccl-tests computes it") {
    CHECK(*bus_factor(CollectiveType::all_reduce, 8) == doctest::Approx(1.75));
    CHECK(*bus_factor(CollectiveType::all_gather, 4) == doctest::Approx(0.75));
    CHECK(*bus_factor(CollectiveType::reduce_scatter, 4) == doctest::Approx(0.75));
    CHECK(*bus_factor(CollectiveType::all_to_all, 4) == doctest::Approx(0.75));
    // Not in nccl-tests' page on performance, but in its programs of these names.
    CHECK(*bus_factor(CollectiveType::gather, 4) == doctest::Approx(0.75));
    CHECK(*bus_factor(CollectiveType::scatter, 4) == doctest::Approx(0.75));
    CHECK(*bus_factor(CollectiveType::broadcast, 4) == 1);
    CHECK(*bus_factor(CollectiveType::reduce, 4) == 1);
    CHECK(*bus_factor(CollectiveType::send_receive, 2) == 1);
    CHECK_FALSE(bus_factor(CollectiveType::all_reduce, 1).has_value());
    CHECK_FALSE(bus_factor(CollectiveType::all_reduce, 0).has_value());
}

// The first all-reduce of the file: 2,049,000 floats in a group of two, in 3,306,963 ns.
TEST_CASE("an all-reduce has the size and rate that the file's figures imply") {
    const TracePtr trace = testing::load_real_trace("torch/a100_nccl_groups.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const auto rows = collective_rows(context, {});
    CHECK(rows.size() == 21);
    const Table table = collectives_table(context, {});
    const auto cell = [&](std::size_t row, std::string_view column) {
        return table.cell(row, *find_column(table.spec(), column));
    };
    REQUIRE(table.row_count() == 21);
    CHECK(std::get<std::string_view>(cell(2, "type")) == "all_reduce");
    CHECK(std::get<int64_t>(cell(2, "size_bytes")) == 4 * 2'049'000);
    CHECK(std::get<double>(cell(2, "bus_gb_per_s")) ==
          doctest::Approx(4 * 2049000.0 / 3306963).epsilon(1e-9));
    CHECK(std::get<int64_t>(cell(1, "size_bytes")) == 8 * 53);
}

// Counted independently: 2,020 all-reduces, 357.3 ms, none of it beside computing.
TEST_CASE("communication that no other work hides is fully exposed") {
    const TracePtr trace = testing::load_real_trace("torch/v100_memory_nccl.json.gz");
    if (!trace) return;
    const auto rows = collective_rows(TraceContext(trace), {});
    REQUIRE(rows.size() == 2020);
    Nanos duration = 0;
    Nanos exposed = 0;
    for (const CollectiveRow& row : rows) {
        CHECK(row.type == CollectiveType::all_reduce);
        CHECK(row.bytes == kNoValue);
        duration += trace->duration(row.slice);
        exposed += row.exposed;
    }
    CHECK(exposed == duration);
    CHECK(static_cast<double>(duration) / 1e6 == doctest::Approx(357.3).epsilon(2e-4));
}

TEST_CASE("a histogram counts every instance once and shows where outliers lie") {
    const TracePtr trace = testing::load_real_trace("torch/v100_memory_nccl.json.gz");
    if (!trace) return;
    const TraceContext context(trace);
    const auto found = duration_histogram(context, {}, HistogramOf::kernels, "AllReduce");
    REQUIRE(found);
    CHECK(found->durations.count == 2020);
    uint64_t sum = 0;
    for (const uint64_t count : found->bins.counts) sum += count;
    CHECK(sum == 2020);
    CHECK(found->outliers.size() == found->durations.outliers);
    CHECK(trace->duration(found->outliers.front()) == found->durations.max);
    const auto wrong = duration_histogram(context, {}, HistogramOf::kernels, "(");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::usage);
    CHECK_FALSE(duration_histogram(context, {}, HistogramOf::operators, "AllReduce_RING"));
}

}  // namespace lanescope
