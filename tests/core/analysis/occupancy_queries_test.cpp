#include "core/analysis/occupancy_queries.h"

#include <doctest/doctest.h>

#include "tests/core/analysis/made_gpu_trace.h"
#include "tests/core/real_traces.h"

using namespace lanescope;

TEST_CASE("a query plans the launch behind it, and no other") {
    testing::MadeGpuTrace made;
    made.call("aten::sum", 0, 100, 0, 1, "cpu_op")
        .call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", 10, 5)
        .call("cudaFuncGetAttributes", 16, 2)
        .call("cudaLaunchKernel", 20, 5, 1)
        .call("cudaLaunchKernel", 30, 5, 2)
        .work("planned", 40, 10, 1)
        .work("plain", 60, 10, 2)
        .call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", 110, 5)
        .call("aten::add", 120, 50, 0, 1, "cpu_op")
        .call("cudaLaunchKernel", 130, 5, 3)
        .work("of another caller", 200, 10, 3);
    const TracePtr trace = made.load();
    const auto planned = planned_by_query(TraceContext(trace));
    REQUIRE(planned.size() == 3);
    for (std::size_t row = 0; row < 3; ++row)
        CHECK((planned[row] == 1) == (trace->name(trace->gpu_activities.slice[row]) == "planned"));
}

TEST_CASE("planned launches in a real trace") {
    const TracePtr trace = testing::load_real_trace("torch/v100_resnet50_2021.json.gz");
    if (!trace) return;
    std::size_t count = 0;
    for (const uint8_t planned : planned_by_query(TraceContext(trace))) count += planned;
    MESSAGE(count, " planned launches");
    CHECK(count > 0);
    CHECK(count <= 1206);  // queries in the file
}
