#include "core/view/pixel_columns.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "core/trace/level_of_detail.h"

using namespace lanescope;

namespace {

struct Sum {
    uint64_t rank = 0;
    uint32_t slot = 0;
    double cover = 0;
    uint32_t count = 0;
};

void check_same(const PixelColumns& columns, const std::map<int, Sum>& sums) {
    REQUIRE(columns.columns().size() == sums.size());
    auto sum = sums.begin();
    for (const PixelColumn& column : columns.columns()) {
        REQUIRE(column.x == sum->first);
        REQUIRE(column.rank == sum->second.rank);
        REQUIRE(column.slot == sum->second.slot);
        REQUIRE(column.count == sum->second.count);
        REQUIRE(column.cover == doctest::Approx(sum->second.cover).epsilon(1e-6));
        ++sum;
    }
}

}  // namespace

TEST_CASE("pixel columns hold sums and the longest slice, in any order of adding") {
    std::mt19937_64 random(5);
    PixelColumns columns;
    for (int round = 0; round < 200; ++round) {
        constexpr int kWidth = 300;
        columns.start(kWidth);
        std::map<int, Sum> sums;
        const auto add_sum = [&](int x, float cover, uint64_t rank, uint32_t slot, uint32_t n) {
            Sum& sum = sums[x];
            if (rank > sum.rank) sum.slot = slot;
            sum.rank = std::max(sum.rank, rank);
            sum.cover += cover;
            sum.count += n;
        };
        int x = 0;
        for (uint32_t index = 0; x < kWidth - 4; ++index) {
            // Creates a new writer from time to time, as culling does for each section of a row.
            PixelColumns::Writer writer(columns);
            for (int i = 0; i < 20 && x < kWidth - 4; ++i, ++index) {
                x += static_cast<int>(random() % 3);
                const auto length = static_cast<uint8_t>(random() % 40);
                const uint64_t rank = PixelColumns::Writer::rank_of(length, index);
                const auto slot = static_cast<uint32_t>(random() % 11);
                const auto cover = static_cast<float>(random() % 100) / 100;
                if (random() % 3 == 0 && x > writer.last_x()) {
                    writer.append(x, 2, cover, rank, slot, 1);
                    add_sum(x, cover, rank, slot, 1);
                    add_sum(x + 1, cover, rank, slot, 0);
                } else {
                    const int back = std::max(x - static_cast<int>(random() % 4), 0);
                    writer.add(back, cover, rank, slot, 2);
                    add_sum(back, cover, rank, slot, 2);
                }
            }
        }
        check_same(columns, sums);
    }
}

TEST_CASE("among equally long slices the first counts; lengths are exact to one length_code") {
    using Writer = PixelColumns::Writer;
    CHECK(Writer::rank_of(100.0, 3) > Writer::rank_of(100.0, 4));
    CHECK(Writer::rank_of(101.0, 4) > Writer::rank_of(100.0, 3));
    CHECK(Writer::rank_of(uint8_t{9}, 3) > Writer::rank_of(uint8_t{9}, 4));
    CHECK(Writer::rank_of(uint8_t{10}, 4) > Writer::rank_of(uint8_t{9}, 3));
    for (const Nanos length : {1, 5, 1000, 123'456'789}) {
        const uint8_t code = length_code(length);
        const auto exact = static_cast<double>(length - 1);
        CHECK(Writer::rank_of(exact, 0) >= Writer::rank_of(code, 0));
        CHECK(Writer::rank_of(exact, 0) < Writer::rank_of(static_cast<uint8_t>(code + 1), 0));
    }
}
