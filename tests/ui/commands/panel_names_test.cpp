#include "ui/commands/panel_names.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("panels are found by common names") {
    CHECK(panel_called("kernels") == "Kernels");
    CHECK(panel_called("Dead windows") == "Dead windows");
    CHECK(panel_called("dead-windows") == "Dead windows");
    CHECK(panel_called("breakdown") == "Time");
    CHECK(panel_called("TIME") == "Time");
    CHECK(panel_called("roofline") == "Roofline");
    CHECK(panel_called("kernel").empty());
    CHECK(panel_called("").empty());
    for (const std::string_view name : panel_names()) CHECK(panel_called(name) == name);
}
