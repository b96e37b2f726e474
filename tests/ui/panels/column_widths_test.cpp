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

TEST_CASE("what is left goes to columns whose texts are cut, the first ones first") {
    const std::vector<ColumnRoom> columns = {{300, 140, 700}, {60, 60, 60}, {120, 80, 200}};
    std::vector<float> widths = {320, 80, 140};
    CHECK(give_rest(columns, 100, widths) == 0);
    CHECK(widths == std::vector<float>{420, 80, 140});
    CHECK(give_rest(columns, 300, widths) == 0);
    CHECK(widths == std::vector<float>{700, 80, 160});
    CHECK(give_rest(columns, 3000, widths) == 2960);
    CHECK(widths == std::vector<float>{700, 80, 200});
    give_rest(columns, -5, widths);
    CHECK(widths == std::vector<float>{700, 80, 200});
}

TEST_CASE("in a table that scrolls, the columns in view fill the panel") {
    const std::vector<ColumnRoom> columns = {{300, 140, 320}, {60, 60, 60}, {120, 80, 120}};
    std::vector<float> widths = {300, 60, 120};
    fill_room(columns, 10, 440, widths);  // 60 px are left, less than the third column
    CHECK(widths == std::vector<float>{340, 80, 120});
    fill_room(columns, 10, 440, widths);
    CHECK(widths == std::vector<float>{340, 80, 120});
    widths = {300, 60, 120};
    fill_room(columns, 10, 425, widths);  // 25 px are left after names are whole
    CHECK(widths == std::vector<float>{333, 72, 120});
    widths = {300, 60, 120};
    fill_room(columns, 10, 2000, widths);  // the table does not scroll
    CHECK(widths == std::vector<float>{300, 60, 120});
    fill_room(columns, 10, 200, widths);  // not even the first column fits
    CHECK(widths == std::vector<float>{300, 60, 120});
}

TEST_CASE("numbers are never cut: a table that is too wide scrolls") {
    CHECK(shared_widths(kColumns, 350, 20) == std::vector<float>{140, 60, 80, 70});
    // If the table is too wide in any case, titles are not shortened.
    CHECK(shared_widths(kColumns, 349, 20) == std::vector<float>{140, 60, 120, 70});
    CHECK(shared_widths({}, 100, 20).empty());
    const std::vector<ColumnRoom> numbers = {{90, 90}, {60, 60}};
    CHECK(shared_widths(numbers, 100, 20) == std::vector<float>{90, 60});
}
