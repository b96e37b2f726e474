#include "core/view/named_slice.h"

#include <doctest/doctest.h>

#include "tests/core/trace_maker.h"

using namespace lanescope;

TEST_CASE("a slice is found by its full name, its short name, then a part of it") {
    constexpr TimeRange all{0, 1000};
    TraceMaker maker;
    maker.process("1", "python");
    const LaneId lane = maker.lane({{{0, 10, "aten::addmm_out"},
                                     {20, 10, "aten::addmm"},
                                     {40, 10, "void ns::gemm_kernel<int>(float*)", "kernel"},
                                     {60, 10, "aten::mm"}}});
    const TracePtr trace = maker.finish();
    CHECK(first_slice_called(*trace, "aten::addmm", all) == SliceRef{lane, 1});
    CHECK(first_slice_called(*trace, "addmm", all) == SliceRef{lane, 0});
    CHECK(first_slice_called(*trace, "gemm", all) == SliceRef{lane, 2});
    CHECK(first_slice_called(*trace, "addmm", {15, 1000}) == SliceRef{lane, 1});
    CHECK(!first_slice_called(*trace, "softmax", all));
    CHECK(!first_slice_named(*trace, "addmm", all));
    CHECK(first_slice_named(*trace, "aten::addmm", all) == SliceRef{lane, 1});
}
