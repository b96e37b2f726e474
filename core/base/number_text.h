// Numbers as people type them.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

#include "core/base/read_double.h"

namespace lanescope {

// The whole text as a number; empty if it is none.
template <typename Number>
std::optional<Number> number_in_text(const std::string& text) {
    Number number = 0;
    const char* const end = text.data() + text.size();
    std::from_chars_result read{};
    if constexpr (std::is_floating_point_v<Number>)
        read = read_double(text.data(), end, number);
    else
        read = std::from_chars(text.data(), end, number);
    const auto [stop, error] = read;
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// Reads "5%" or "0.05", from 0 to `most`. A number without a percent sign must be at most 1,
// because a user who writes "5" means 5 % and not 500 %.
inline std::optional<double> share_in_text(const std::string& text, double most) {
    const bool percent = text.ends_with('%');
    const auto number = number_in_text<double>(percent ? text.substr(0, text.size() - 1) : text);
    if (!number) return std::nullopt;
    const double share = percent ? *number / 100 : *number;
    if (!percent && share > 1) return std::nullopt;
    return share >= 0 && share <= most ? std::optional(share) : std::nullopt;
}

}  // namespace lanescope
