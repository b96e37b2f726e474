#include "core/export/words/explanation.h"

#include <algorithm>
#include <vector>

#include "core/base/split.h"

// Embedded into the object by core/embedded.cmake.
extern "C" {
extern const char lanescope_explanations_begin[];
extern const char lanescope_explanations_end[];
}

namespace lanescope {

namespace {

std::vector<Explanation> read_all() {
    std::string_view rest(
        lanescope_explanations_begin,
        static_cast<std::size_t>(lanescope_explanations_end - lanescope_explanations_begin));
    std::vector<Explanation> all;
    (void)take_until(rest, '\n');  // the columns' names
    while (!rest.empty()) {
        std::string_view line = take_until(rest, '\n');
        Explanation& e = all.emplace_back();
        for (std::string_view* const field : {&e.kind, &e.pattern, &e.example, &e.text, &e.link})
            *field = take_until(line, '\t');
    }
    return all;
}

}  // namespace

std::span<const Explanation> explanations() {
    static const std::vector<Explanation> all = read_all();
    return all;
}

const Explanation* explain(std::string_view name, EventClass event_class) {
    const std::string_view kind = event_class_name(event_class);
    for (const Explanation& e : explanations())
        if ((e.kind == "-" || e.kind == kind) && fits_pattern(name, e.pattern)) return &e;
    return nullptr;
}

// Backtracks by making a star's match one character longer; only the last star needs that.
bool fits_pattern(std::string_view name, std::string_view pattern) {
    std::size_t n = 0;
    std::size_t p = 0;
    std::size_t star = std::string_view::npos;
    std::size_t after_star = 0;  // position in the name where the text after the star is tried
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after_star = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++after_star;
        } else {
            return false;
        }
    }
    return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

}  // namespace lanescope
