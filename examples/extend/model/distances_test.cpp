#include "examples/extend/model/distances.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

// The model of a call of float tensors, computed as work_of() does for rules of its lists.
Modelled distances_of(std::string_view dims) {
    const auto inputs = parse_inputs({dims, R"(["float", "float"])", "", ""});
    REQUIRE(inputs);
    Call call("aten::_cdist_forward", *inputs);
    const Work work = kDistancesRule.work(call, kDistancesRule);
    return {work, call.problem, call.cut()};
}

}  // namespace

TEST_CASE("the work of distances equals figures computed by hand") {
    const Modelled one = distances_of("[[4, 8], [5, 8]]");
    REQUIRE(one);
    CHECK(one.work.flops.n == 3 * 4 * 5 * 8);
    CHECK(one.work.bytes_read.n == 4 * (32 + 40));
    CHECK(one.work.bytes_written.n == 4 * 20);
    const Modelled batch = distances_of("[[2, 4, 8], [2, 5, 8]]");
    REQUIRE(batch);
    CHECK(batch.work.flops.n == 2 * 3 * 4 * 5 * 8);
    CHECK(batch.work.bytes_written.n == 2 * 4 * 20);
}

TEST_CASE("distances have no model if the shapes do not fit") {
    CHECK(distances_of("[[4, 8], [5, 7]]").why == NoModel::misfit);
    CHECK(distances_of("[[2, 4, 8], [3, 5, 8]]").why == NoModel::misfit);
    CHECK(distances_of("[[4, 8], []]").why == NoModel::misfit);
    CHECK_FALSE(distances_of("[[4], [5]]"));
}
