#include "core/replays/sequence_match.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace lanescope {

namespace {

using Numbers = std::vector<uint32_t>;

Numbers random_numbers(std::mt19937& random) {
    Numbers numbers(random() % 9);
    for (uint32_t& number : numbers) number = random() % 3;
    return numbers;
}

// The length of a longest common subsequence, by its definition.
std::size_t common_length(const Numbers& a, const Numbers& b) {
    std::vector<std::vector<std::size_t>> length(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            length[i][j] = a[i - 1] == b[j - 1] ? length[i - 1][j - 1] + 1
                                                : std::max(length[i - 1][j], length[i][j - 1]);
    return length[a.size()][b.size()];
}

std::optional<std::size_t> find_slowly(const Numbers& all, const Numbers& part, std::size_t from) {
    std::optional<std::size_t> first;
    if (part.empty()) return first;
    for (std::size_t at = 0; at + part.size() <= all.size(); ++at) {
        if (!std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(at)))
            continue;
        if (at >= from) return at;
        if (!first) first = at;
    }
    return first;
}

}  // namespace

TEST_CASE("an alignment is a longest common subsequence") {
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const Numbers a = random_numbers(random);
        const Numbers b = random_numbers(random);
        const Numbers partners = align(a, b, 100);
        REQUIRE(partners.size() == b.size());
        std::size_t count = 0;
        uint32_t next = 0;
        for (std::size_t j = 0; j < b.size(); ++j) {
            if (partners[j] == kNone) continue;
            REQUIRE(partners[j] >= next);
            REQUIRE(a[partners[j]] == b[j]);
            next = partners[j] + 1;
            ++count;
        }
        REQUIRE(count == common_length(a, b));
    }
}

TEST_CASE("an alignment with too many differences is refused") {
    const Numbers a = {1, 2, 3, 4, 5};
    const Numbers b = {1, 9, 3, 4, 5};
    CHECK(align(a, b, 1).empty());
    CHECK(align(a, b, 2) == Numbers{0, kNone, 2, 3, 4});
}

TEST_CASE("a sequence is found behind a place, else before it") {
    std::mt19937 random(2);
    for (int i = 0; i < 20'000; ++i) {
        const Numbers all = random_numbers(random);
        const Numbers part = random_numbers(random);
        const std::size_t from = random() % 9;
        REQUIRE(find_sequence(all, part, from) == find_slowly(all, part, from));
    }
}

}  // namespace lanescope
