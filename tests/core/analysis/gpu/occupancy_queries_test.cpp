#include "core/analysis/gpu/occupancy_queries.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

using namespace lanescope;

TEST_CASE("an occupancy query belongs to the next launch only") {
    testing::GpuTraceMaker maker;
    maker.call("aten::sum", 0, 100, 0, 1, "cpu_op")
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
    const TracePtr trace = maker.load();
    const auto planned = planned_by_query(TraceContext(trace));
    REQUIRE(planned.size() == 3);
    for (std::size_t row = 0; row < 3; ++row)
        CHECK((planned[row] == 1) == (trace->name(trace->gpu_activities.slice[row]) == "planned"));
}

TEST_CASE("memsets may come between a query and its launch; so may launches without a kernel") {
    testing::GpuTraceMaker maker;
    constexpr const char* kQuery = "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags";
    maker.call("aten::mm", 0, 100, 0, 1, "cpu_op")
        .call(kQuery, 10, 5)
        .call("cudaMemsetAsync", 16, 2, 1)
        .call("cudaFuncSetAttribute", 19, 1)
        .call("cudaLaunchKernel", 20, 5, 2)
        .work("Memset (Device)", 18, 2, 1, 7, "gpu_memset")
        .work("planned", 40, 10, 2)
        .call("aten::bmm", 110, 100, 0, 1, "cpu_op")
        .call(kQuery, 111, 5)
        .call("cudaLaunchKernel", 120, 5, 77)
        .call("cudaLaunchKernel", 130, 5, 3)
        .work("behind a kernel that is not in the file", 140, 10, 3)
        .call("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", 220, 5)
        .call("hipGraphLaunch", 230, 5, 4)
        .work("of a graph", 240, 10, 4)
        .call("cuOccupancyMaxActiveClusters", 250, 5)
        .call("cudaLaunchKernelExC", 260, 9, 0)
        .call("cuLaunchKernelEx", 261, 5, 5)
        .work("planned", 280, 10, 5);
    const TracePtr trace = maker.load();
    const auto planned = planned_by_query(TraceContext(trace));
    REQUIRE(planned.size() == 5);
    for (std::size_t row = 0; row < 5; ++row) {
        const std::string_view name = trace->name(trace->gpu_activities.slice[row]);
        CAPTURE(name);
        CHECK((planned[row] == 1) == (name == "planned"));
    }
}

// As counted by a script, which assigns each query to the next kernel launch on its thread.
TEST_CASE("launches with occupancy queries in real traces") {
    struct Known {
        const char* trace;
        int planned;
    };
    constexpr Known kKnown[] = {
        {"a100_alexnet_sync.json.gz", 8},
        {"a100_nccl_groups.json.gz", 240},
        {"a100_rank0_of16.json.gz", 120},
        {"a100_train_before.json.gz", 1878},
        {"b300_sglang_overlapping_kernels.json.gz", 1},
        {"h100_bert_small.json.gz", 0},
        {"resnet50_autograd_2020.json.gz", 18},
        {"rtx2080ti_resnet.json.gz", 1140},
        {"rtx3090_vllm.pt.trace.json.gz", 37},
        {"v100_memory_nccl.json.gz", 2665},
        {"v100_resnet50_2021.json.gz", 216},
        {"v100_train_after.json.gz", 552},
    };
    for (const Known& known : kKnown) {
        CAPTURE(known.trace);
        const TracePtr trace = testing::load_real_trace(std::string("torch/") + known.trace);
        if (!trace) return;
        const auto planned = planned_by_query(TraceContext(trace));
        CHECK(std::ranges::count(planned, 1) == known.planned);
    }
}
