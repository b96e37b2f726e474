#include "ui/panels/selection.h"

#include <doctest/doctest.h>

#include "tests/core/analysis/gpu_trace_maker.h"

namespace lanescope {

namespace {

SliceRef slice_named(const Trace& trace, std::string_view name) {
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i)
            if (trace.name({lane, i}) == name) return {lane, i};
    FAIL("no slice is named so");
    return {};
}

}  // namespace

TEST_CASE("GPU work without an operator has the reason") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("aten::mm", 0, 20, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 5, 5, 1)
                               .work("of an operator", 30, 10, 1)
                               .call("cudaLaunchKernel", 40, 5, 2)
                               .work("of a bare call", 50, 10, 2)
                               .work("of no call", 70, 10, 9)
                               .load();
    const auto why = [&](std::string_view name) {
        return facts_of(*trace, slice_named(*trace, name)).unattributed;
    };
    CHECK(why("of an operator").empty());
    CHECK(why("of a bare call") == "its launch call is not inside an operator");
    CHECK(why("of no call") == "its launch call is not in the file");
    CHECK(why("aten::mm").empty());
}

}  // namespace lanescope
