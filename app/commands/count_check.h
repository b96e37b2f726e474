// Check for options that take a number of rows.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lanescope {

// Returns an empty text for an integer of at least 1, else what is wrong.
inline std::string check_count(const std::string& text) {
    constexpr std::size_t max_digits = 18;
    const bool digits = !text.empty() && text.size() <= max_digits &&
                        std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    const bool counts = digits && text.find_first_not_of('0') != std::string::npos;
    return counts ? std::string()
                  : fmt::format("{} is not a number of rows; write 1 or more", text);
}

}  // namespace lanescope
