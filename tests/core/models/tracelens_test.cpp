// Our models agree with TraceLens' except for explained differences.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/core/models/tracelens_rows.h"
#include "tests/core/real_traces.h"

using namespace lanescope;

TEST_CASE("models agree with TraceLens except for explained differences") {
    const std::string path = testing::real_trace("truth/tracelens.json");
    if (path.empty()) return;
    const auto rows = testing::tracelens_rows(path);
    CHECK(rows.size() == 496);
    const auto count = [&](const auto& holds) { return std::ranges::count_if(rows, holds); };
    CHECK(count([](const auto& r) { return r.compared; }) >= 481);
    CHECK(count([](const auto& r) { return r.compared && r.why_flop.empty(); }) >= 283);
    CHECK(count([](const auto& r) { return r.compared && r.bytes >= 0 && r.why_bytes.empty(); }) >=
          274);
    for (const auto& row : rows) {
        CAPTURE(row.op);
        CAPTURE(row.dims);
        CAPTURE(row.concrete);
        CHECK(row.why_flop != "not explained");
        CHECK(row.why_bytes != "not explained");
    }
}
