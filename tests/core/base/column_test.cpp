#include "core/base/column.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

using namespace lanescope;

TEST_CASE("an empty column has no memory") {
    const Column<uint32_t> column;
    CHECK(column.empty());
    CHECK(column.bytes() == 0);
    CHECK(column.begin() == column.end());
    CHECK(Column<uint32_t>(0).data() == nullptr);
}

TEST_CASE("a column keeps its values, in small and in huge pages") {
    // Columns of two megabytes and more use pages of their own instead of the heap.
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{1000}, (std::size_t{2} << 20) / 8 - 1,
          (std::size_t{2} << 20) / 8, std::size_t{1} << 20}) {
        CAPTURE(size);
        Column<uint64_t> column(size);
        REQUIRE(column.size() == size);
        CHECK(column.bytes() == size * 8);
        std::iota(column.data(), column.data() + size, uint64_t{3});
        CHECK(column[0] == 3);
        CHECK(column[size - 1] == size + 2);
        CHECK(std::accumulate(column.begin(), column.end(), uint64_t{0}) ==
              size * 3 + size * (size - 1) / 2);
    }
}

TEST_CASE("a moved-from column is empty") {
    Column<int> from = Column<int>::copy_of(std::array{1, 2, 3});
    const int* data = from.data();
    Column<int> to(std::move(from));
    CHECK(to.data() == data);
    CHECK(to.size() == 3);
    CHECK(from.empty());  // NOLINT(bugprone-use-after-move): what is left is the question
    CHECK(from.data() == nullptr);
}

TEST_CASE("move assignment replaces a column's memory") {
    Column<int> column = Column<int>::copy_of(std::array{1, 2, 3});
    column = Column<int>::copy_of(std::array{9});
    REQUIRE(column.size() == 1);
    CHECK(column[0] == 9);
}

TEST_CASE("a column that is recreated takes more memory only when it needs it") {
    Column<int> column = Column<int>::copy_of(std::array{1, 2, 3});
    const int* const data = column.data();
    column.renew(2);
    CHECK(column.size() == 2);
    CHECK(column.data() == data);
    column.renew(3);
    CHECK(column.data() == data);
    column.renew(1000);
    REQUIRE(column.size() == 1000);
    CHECK(column.bytes() == 1000 * sizeof(int));
    std::fill_n(column.data(), 1000, 7);
    CHECK(column[999] == 7);
}

TEST_CASE("a column can be copied from any range and viewed as a span") {
    const std::vector<int16_t> values{5, -4, 3};
    const auto column = Column<int16_t>::copy_of(values);
    const std::span<const int16_t> seen = column;
    CHECK(std::vector<int16_t>(seen.begin(), seen.end()) == values);
}

TEST_CASE("a column larger than the machine's memory is refused as a whole") {
    CHECK_THROWS_AS(Column<uint64_t>(std::size_t{1} << 60), std::bad_alloc);
}

TEST_CASE("columns keep their values as they outgrow the heap and return to it") {
    Column<uint64_t> column;
    for (uint64_t i = 0; i < 1'000'000; ++i) column.push_back(i * 3);
    column.shrink_to_fit();
    bool same = true;
    for (uint64_t i = 0; i < 1'000'000; ++i) same = same && column[i] == i * 3;
    CHECK(same);
    column.keep_first(1'000);
    column.shrink_to_fit();
    for (uint64_t i = 0; i < 1'000; ++i) same = same && column[i] == i * 3;
    CHECK(same);
}
