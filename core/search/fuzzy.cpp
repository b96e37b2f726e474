#include "core/search/fuzzy.h"

#include <cctype>

namespace lanescope {

namespace {

constexpr int kLetter = 1;
constexpr int kWordStart = 8;
constexpr int kFollows = 6;
constexpr int kLongText = 40;  // bytes that cost a point

int lower_letter(char c) {
    return std::tolower(static_cast<unsigned char>(c));
}

bool begins_word(std::string_view text, std::size_t at) {
    if (at == 0) return true;
    const auto before = static_cast<unsigned char>(text[at - 1]);
    const auto here = static_cast<unsigned char>(text[at]);
    return (!std::isalnum(before) && before < 0x80) || (std::islower(before) && std::isupper(here));
}

// Matches from the text's letter at `first` on. Each further letter is matched at the next start of
// a word if the rest can follow from there, else at the next occurrence.
std::optional<FuzzyMatch> match_from(std::string_view text, std::string_view pattern,
                                     std::size_t first) {
    FuzzyMatch match;
    std::size_t at = first;
    for (const char letter : pattern) {
        if (letter == ' ') continue;
        while (at < text.size() && lower_letter(text[at]) != lower_letter(letter)) ++at;
        if (at == text.size()) return std::nullopt;
        match.score += kLetter;
        if (begins_word(text, at)) match.score += kWordStart;
        if (!match.places.empty() && match.places.back() + 1 == at) match.score += kFollows;
        match.places.push_back(at++);
    }
    return match;
}

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(std::string_view text, std::string_view pattern) {
    while (pattern.starts_with(' ')) pattern.remove_prefix(1);
    std::optional<FuzzyMatch> best;
    if (pattern.empty()) return FuzzyMatch{};
    for (std::size_t first = 0; first < text.size(); ++first) {
        if (lower_letter(text[first]) != lower_letter(pattern.front())) continue;
        auto match = match_from(text, pattern, first);
        if (!match) break;  // later starts leave even less text
        if (!best || match->score > best->score) best = std::move(match);
    }
    if (best) best->score -= static_cast<int>(text.size()) / kLongText;
    return best;
}

}  // namespace lanescope
