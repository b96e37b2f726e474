#include "ui/panels/column_widths.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace lanescope;

namespace {

const std::vector<ColumnRoom> kColumns = {{300, 140}, {60, 60}, {120, 80}, {70, 70}};

float sum(const std::vector<float>& widths) {
    return std::accumulate(widths.begin(), widths.end(), 0.0f);
}

}  // namespace

TEST_CASE("columns with enough room have their preferred width, and a small gap") {
    CHECK(shared_widths(kColumns, 550, 20) == std::vector<float>{300, 60, 120, 70});
    CHECK(shared_widths(kColumns, 590, 20) == std::vector<float>{310, 70, 130, 80});
    CHECK(shared_widths(kColumns, 5000, 20) == std::vector<float>{320, 80, 140, 90});
}

TEST_CASE("the first column shrinks first, then the others that can") {
    CHECK(shared_widths(kColumns, 450, 20) == std::vector<float>{200, 60, 120, 70});
    CHECK(shared_widths(kColumns, 390, 20) == std::vector<float>{140, 60, 120, 70});
    CHECK(shared_widths(kColumns, 370, 20) == std::vector<float>{140, 60, 100, 70});
    CHECK(sum(shared_widths(kColumns, 370, 20)) == doctest::Approx(370));
}

TEST_CASE("numbers are never cut: a table that is too wide scrolls") {
    CHECK(shared_widths(kColumns, 350, 20) == std::vector<float>{140, 60, 80, 70});
    // If the table is too wide in any case, titles are not shortened.
    CHECK(shared_widths(kColumns, 349, 20) == std::vector<float>{140, 60, 120, 70});
    CHECK(shared_widths({}, 100, 20).empty());
    const std::vector<ColumnRoom> numbers = {{90, 90}, {60, 60}};
    CHECK(shared_widths(numbers, 100, 20) == std::vector<float>{90, 60});
}
