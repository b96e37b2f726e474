// Checks for options that take a number, whose messages give the range in words.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace lanescope {

template <typename Number>
std::optional<Number> number_in_text(const std::string& text) {
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// "5%" or "0.05", from 0 to `most`.
inline std::optional<double> share_in_text(const std::string& text, double most) {
    const bool percent = text.ends_with('%');
    const auto number = number_in_text<double>(percent ? text.substr(0, text.size() - 1) : text);
    if (!number) return std::nullopt;
    const double share = percent ? *number / 100 : *number;
    return share >= 0 && share <= most ? std::optional(share) : std::nullopt;
}

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

inline std::string check_above_zero(const std::string& text) {
    const auto number = number_in_text<double>(text);
    if (number && std::isfinite(*number) && *number > 0) return {};
    return fmt::format("{} does not fit; write a number above 0", text);
}

}  // namespace lanescope
