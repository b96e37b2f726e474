#include "core/view/overview.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/core/trace_maker.h"

using namespace lanescope;

TEST_CASE("the overview shows when operators and kernels ran, not their enclosing frames") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 1000, "main", "python_function"},
                 {100, 100, "aten::mm", "cpu_op"},
                 {120, 50, "aten::add", "cpu_op"},
                 {250, 25, "cudaLaunchKernel", "cuda_runtime"}}});
    maker.process("0", "python", true);
    maker.lane({{{300, 100, "gemm", "kernel"}}}, LaneKind::stream);
    maker.lane({{{350, 100, "copy", "gpu_memcpy"}}}, LaneKind::stream);
    const ViewIndexPtr index = build_view_index(maker.finish());
    const Overview overview = build_overview(*index, {0, 1000}, 20);
    CHECK(overview.has_gpu);
    const std::vector<float> cpu = {0, 0, 1, 1, 0, 0.5F};
    const std::vector<float> gpu = {0, 0, 0, 0, 0, 0, 1, 1, 1, 0};
    for (std::size_t i = 0; i < cpu.size(); ++i)
        CHECK(overview.cpu[i] == doctest::Approx(cpu[i]).epsilon(1e-4));
    for (std::size_t i = 0; i < gpu.size(); ++i)
        CHECK(overview.gpu[i] == doctest::Approx(gpu[i]).epsilon(1e-4));
}

TEST_CASE("without operators any slice counts; without a GPU there is no second curve") {
    TraceMaker maker;
    maker.process("1", "something");
    maker.lane({{{0, 500, "a", "its own"}, {100, 10, "b", "its own"}}});
    const ViewIndexPtr index = build_view_index(maker.finish());
    const Overview overview = build_overview(*index, {0, 1000}, 4);
    CHECK_FALSE(overview.has_gpu);
    CHECK(overview.cpu == std::vector<float>{1, 1, 0, 0});
}

TEST_CASE("if a thread is always busy, the overview of a trace without GPU counts threads") {
    TraceMaker maker;
    maker.process("1", "something");
    maker.lane({{{0, 1000, "a", "its own"}, {0, 900, "b", "its own"}}});
    maker.lane({{{250, 500, "c", "its own"}}});
    maker.lane({{{500, 125, "d", "its own"}}});
    const ViewIndexPtr index = build_view_index(maker.finish());
    const Overview overview = build_overview(*index, {0, 1000}, 4);
    CHECK(overview.counts_threads);
    const std::vector<float> threads = {1, 2, 2.5F, 1};
    for (std::size_t i = 0; i < threads.size(); ++i)
        CHECK(overview.cpu[i] == doctest::Approx(std::sqrt(threads[i] / 2.5F)).epsilon(1e-4));
    CHECK_FALSE(build_overview(*index, {0, 3000}, 4).counts_threads);
}

TEST_CASE("levels of detail give almost the same curve as the slices") {
    std::mt19937_64 random(41);
    for (const Spread spread : {Spread::even, Spread::heavy, Spread::touching}) {
        std::vector<TestSlice> row = random_row(random, 60'000, spread, 0);
        for (TestSlice& slice : row) slice.category = "cpu_op";
        const Nanos end = row.back().start + row.back().duration;
        const std::size_t columns = 300;
        std::vector<double> truth(columns);
        const double per_column = static_cast<double>(end) / columns;
        for (const TestSlice& slice : row) {
            const double x0 = static_cast<double>(slice.start) / per_column;
            const double x1 = static_cast<double>(slice.start + slice.duration) / per_column;
            for (auto c = static_cast<std::size_t>(x0); c < columns && static_cast<double>(c) < x1;
                 ++c)
                truth[c] +=
                    std::min(x1, static_cast<double>(c + 1)) - std::max(x0, static_cast<double>(c));
        }
        TraceMaker maker;
        maker.process("1", "python");
        maker.lane({row});
        const ViewIndexPtr index = build_view_index(maker.finish());
        const Overview overview = build_overview(*index, {0, end}, columns);
        double worst = 0;
        for (std::size_t c = 0; c < columns; ++c)
            worst = std::max(worst, std::abs(static_cast<double>(overview.cpu[c]) - truth[c]));
        CHECK(worst < 0.1);
    }
}
