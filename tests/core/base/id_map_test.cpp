#include "core/base/id_map.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

using namespace lanescope;

namespace {

void check_ids(const std::vector<int64_t>& ids) {
    IdMap<int64_t> map(ids, -1);
    std::map<int64_t, int64_t> expected;
    for (std::size_t i = 0; i < ids.size(); i += 2) {
        if (ids[i] <= 0) continue;
        map.at(ids[i]) = static_cast<int64_t>(i);
        expected[ids[i]] = static_cast<int64_t>(i);
    }
    for (const int64_t id : ids) {
        for (const int64_t near : {id - 1, id, id + 1}) {
            const auto found = expected.find(near);
            CHECK(map.find(near) == (found == expected.end() ? -1 : found->second));
        }
    }
    for (const int64_t id : {INT64_MIN, int64_t{-1}, int64_t{0}, INT64_MAX})
        CHECK(map.find(id) == (expected.contains(id) ? expected[id] : -1));
}

}  // namespace

TEST_CASE("ids: dense, sparse, repeated and missing ones") {
    check_ids({});
    check_ids({0, -5, INT64_MIN});
    check_ids({7});
    check_ids({INT64_MAX, 1, 5, INT64_MAX - 1});
    check_ids({1'000'000'001, 1'000'000'000, 1'000'000'004, 1'000'000'001, 0, 1'000'000'009});
    std::mt19937_64 random(5);
    for (const uint64_t spread : {uint64_t{2'000}, uint64_t{1} << 40U}) {
        std::vector<int64_t> ids(1'000);
        for (int64_t& id : ids) id = static_cast<int64_t>(random() % spread) - 3;
        check_ids(ids);
    }
}

TEST_CASE("ids: values can be added up") {
    IdMap<int64_t> sums(std::vector<int64_t>{5, 6, 5}, 0);
    sums.at(5) += 3;
    sums.at(5) += 4;
    CHECK(sums.find(5) == 7);
    CHECK(sums.find(6) == 0);
}
