#include "core/search/fuzzy.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

int score(std::string_view text, std::string_view pattern) {
    const auto match = fuzzy_match(text, pattern);
    return match ? match->score : -1000;
}

}  // namespace

TEST_CASE("Letters match in order, regardless of case and spaces") {
    CHECK(fuzzy_match("Frame the selection", "fts"));
    CHECK(fuzzy_match("Frame the selection", "FRAME sel"));
    CHECK(fuzzy_match("anything", ""));
    CHECK(fuzzy_match("anything", "  "));
    CHECK(!fuzzy_match("Frame", "emarf"));
    CHECK(!fuzzy_match("", "a"));
    CHECK(!fuzzy_match("ab", "abc"));
}

TEST_CASE("Matches at the start of words and of adjacent letters come first") {
    CHECK(score("Next idle gap", "nig") > score("Running", "nig"));
    CHECK(score("Legend", "leg") > score("Larger interface, again", "leg"));
    CHECK(score("stream 7", "stream 7") > score("stream 17 of GPU 7", "stream 7"));
    CHECK(score("Kernels", "kern") > score("Looks even darker now", "kern"));
}

TEST_CASE("A letter counts one, and eight more where a word begins") {
    CHECK(score("ab", "a") == 9);
    CHECK(score("ab", "b") == 1);
    CHECK(score("a b", "b") == 9);
    CHECK(score("aB", "b") == 9);
    CHECK(score("AB", "b") == 1);
}

TEST_CASE("The positions of matching letters are returned") {
    const auto match = fuzzy_match("Light theme", "lt");
    REQUIRE(match);
    CHECK(match->places.size() == 2);
    CHECK(match->places[0] == 0);
}
