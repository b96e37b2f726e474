// Checks for options that take a number, whose messages give the range in words.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>

#include "core/base/number_text.h"

namespace lanescope {

// CLI11 calls the results with the text of a value; they return what is wrong, or "".
inline auto check_whole_number(int64_t least, int64_t most = std::numeric_limits<int64_t>::max()) {
    return [least, most](const std::string& text) -> std::string {
        const auto number = number_in_text<int64_t>(text);
        if (number && *number >= least && *number <= most) return {};
        const std::string range = most == std::numeric_limits<int64_t>::max()
                                      ? fmt::format("{} or more", least)
                                      : fmt::format("from {} to {}", least, most);
        return fmt::format("{} does not fit; write a whole number, {}", text, range);
    };
}

inline auto check_number(double least, double most) {
    return [least, most](const std::string& text) -> std::string {
        const auto number = number_in_text<double>(text);
        if (number && *number >= least && *number <= most) return {};
        return fmt::format("{} does not fit; write a number from {:g} to {:g}", text, least, most);
    };
}

}  // namespace lanescope
