#include "core/analysis/collectives/collectives.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/analysis/statistics/histogram.h"
#include "core/analysis/structure/gpu_work.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

std::vector<TimeRange> computing_times(const Trace& trace) {
    std::vector<TimeRange> times;
    for (const SliceRef slice : trace.gpu_activities.slice)
        if (trace.event_class(slice) == EventClass::kernel)
            times.push_back({trace.start(slice), trace.slice_end(slice)});
    return times;
}

// The time of `range` in none of the `others`, counted from one begin or end to the next.
Nanos length_outside(TimeRange range, const std::vector<TimeRange>& others) {
    std::vector<Nanos> cuts = {range.begin, range.end};
    for (const TimeRange& other : others)
        for (const Nanos t : {other.begin, other.end})
            if (range.contains(t)) cuts.push_back(t);
    std::ranges::sort(cuts);
    Nanos length = 0;
    for (std::size_t i = 1; i < cuts.size(); ++i) {
        const TimeRange part{cuts[i - 1], cuts[i]};
        const bool inside = std::ranges::any_of(others, [&](const TimeRange& other) {
            return other.begin <= part.begin && part.end <= other.end;
        });
        if (!inside) length += part.length();
    }
    return length;
}

}  // namespace

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

TEST_CASE("an all-reduce has the size and rate that the file's figures imply") {
    // Its group has two ranks.
    struct AllReduce {
        const char* trace;
        std::size_t calls;  // in the file
        std::size_t row;
        int64_t bytes;
        Nanos duration;
    };
    const AllReduce all[] = {
        {"synthetic_step.json.gz", 9, 0, 2 * 2'800'000, 390'270},
        {"synthetic_step.json.gz", 9, 8, 2 * 2'800'000, 388'196},
        {"torch/a100_nccl_groups.json.gz", 21, 2, 4 * 2'049'000, 3'306'963},
    };
    for (const AllReduce& expected : all) {
        if (testing::traces_here({expected.trace}).empty()) continue;
        CAPTURE(expected.trace);
        const TracePtr trace = testing::load_real_trace(expected.trace);
        REQUIRE(trace);
        const TraceContext context(trace);
        CHECK(collective_rows(context, {}).size() == expected.calls);
        const Table table = collectives_table(context, {});
        const auto cell = [&](std::string_view column) {
            return table.cell(expected.row, *find_column(table.spec(), column));
        };
        REQUIRE(table.row_count() == expected.calls);
        CHECK(std::get<std::string_view>(cell("type")) == "all_reduce");
        CHECK(std::get<int64_t>(cell("size_bytes")) == expected.bytes);
        const double rate =
            static_cast<double>(expected.bytes) / static_cast<double>(expected.duration);
        CHECK(std::get<double>(cell("bus_gb_per_s")) == doctest::Approx(rate).epsilon(1e-9));
    }
    for (const std::string& name : testing::traces_here({"torch/a100_nccl_groups.json.gz"})) {
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        CHECK(collective_rows(TraceContext(trace), {}).at(1).bytes == 8 * 53);
    }
}

// Counted independently in the real trace: 2,020 all-reduces, 357.3 ms, none of it beside
// computing.
TEST_CASE("communication that no other work hides is exposed") {
    for (const std::string& name :
         testing::traces_here({"synthetic_step.json.gz", "torch/v100_memory_nccl.json.gz"})) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        REQUIRE(gpu_devices(*trace).size() == 1);
        const std::vector<TimeRange> computing = computing_times(*trace);
        Nanos duration = 0;
        Nanos exposed = 0;
        const auto rows = collective_rows(TraceContext(trace), {});
        for (const CollectiveRow& row : rows) {
            CHECK(row.type == CollectiveType::all_reduce);
            const TimeRange range{trace->start(row.slice), trace->slice_end(row.slice)};
            CHECK(row.exposed == length_outside(range, computing));
            duration += range.length();
            exposed += row.exposed;
        }
        CHECK(exposed > 0);
        if (name == "synthetic_step.json.gz") {
            CHECK(rows.size() == 9);
            CHECK(exposed < duration);
            continue;
        }
        CHECK(rows.size() == 2020);
        for (const CollectiveRow& row : rows) CHECK(row.bytes == kNoValue);
        CHECK(exposed == duration);
        CHECK(static_cast<double>(duration) / 1e6 == doctest::Approx(357.3).epsilon(2e-4));
    }
}

TEST_CASE("a histogram counts every instance once and shows where outliers lie") {
    struct Instances {
        const char* trace;
        const char* pattern;
        uint64_t count;
    };
    // Those of the sample are three kernels with 27 instances each.
    const Instances all[] = {{"synthetic_step.json.gz", "synthetic_gemm", 81},
                             {"torch/v100_memory_nccl.json.gz", "AllReduce", 2020}};
    for (const Instances& expected : all) {
        if (testing::traces_here({expected.trace}).empty()) continue;
        CAPTURE(expected.trace);
        const TracePtr trace = testing::load_real_trace(expected.trace);
        REQUIRE(trace);
        const TraceContext context(trace);
        const auto found = duration_histogram(context, {}, HistogramOf::kernels, expected.pattern);
        REQUIRE(found);
        CHECK(found->durations.count == expected.count);
        uint64_t sum = 0;
        for (const uint64_t count : found->bins.counts) sum += count;
        CHECK(sum == expected.count);
        CHECK(found->outliers.size() == found->durations.outliers);
        REQUIRE_FALSE(found->outliers.empty());
        CHECK(trace->duration(found->outliers.front()) == found->durations.max);
        const auto wrong = duration_histogram(context, {}, HistogramOf::kernels, "(");
        REQUIRE_FALSE(wrong);
        CHECK(wrong.error().code == ErrorCode::usage);
        // Kernels only.
        CHECK_FALSE(duration_histogram(context, {}, HistogramOf::operators, "_RING|_gemm"));
    }
}

}  // namespace lanescope
