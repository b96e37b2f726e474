// Finding a line of a list by some of its letters, as palettes do.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace lanescope {

struct FuzzyMatch {
    int score = 0;                    // more is better
    std::vector<std::size_t> places;  // of the pattern's letters in the text, in bytes
};

// The pattern's letters stand in the text in their order, whatever their case; spaces in the
// pattern are left out. Letters that follow each other or begin a word count for more, and so does
// a short text. Nothing when some are not there.
std::optional<FuzzyMatch> fuzzy_match(std::string_view text, std::string_view pattern);

}  // namespace lanescope
