#include "ui/panels/fitting_panel.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/core/trace_maker.h"
#include "ui/panels/panel_names.h"

using namespace lanescope;

TEST_CASE("the table that fits: kernels, operators, samples, or slices") {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 5, "work", "something"}}});
    const TracePtr trace = maker.finish();
    const auto fits = [&] {
        const std::string_view panel = fitting_panel(*trace);
        CHECK(std::ranges::count(panel_names(), panel) == 1);
        return panel;
    };
    CHECK(fits() == "Slices");
    maker.trace().sampled_calls.slice.push_back({0, 0});
    CHECK(fits() == "Samples");
    maker.lane({{{0, 5, "aten::add", "cpu_op"}}});
    CHECK(fits() == "Operators");
    maker.trace().gpu_activities.slice.push_back({0, 0});
    CHECK(fits() == "Kernels");
}
