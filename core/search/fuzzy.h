// Fuzzy search in a list, as in command palettes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace lanescope {

struct FuzzyMatch {
    int score = 0;                    // more is better
    std::vector<std::size_t> places;  // byte positions of the pattern's letters in the text
};

// The pattern's letters must occur in the text in order, ignoring case; spaces in the pattern are
// ignored. Consecutive letters, starts of words and short texts score higher. Empty if a letter is
// missing.
std::optional<FuzzyMatch> fuzzy_match(std::string_view text, std::string_view pattern);

}  // namespace lanescope
