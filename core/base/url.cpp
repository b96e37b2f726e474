#include "core/base/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lanescope {

namespace {

constexpr std::string_view kAfterScheme = "://";

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool may_be_in_scheme(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

}  // namespace

std::string url_scheme(std::string_view text) {
    const std::size_t end = text.find(kAfterScheme);
    if (end == std::string_view::npos || end == 0 || !is_letter(text.front())) return {};
    std::string scheme(text.substr(0, end));
    if (!std::ranges::all_of(scheme, may_be_in_scheme)) return {};
    for (char& c : scheme)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return scheme;
}

bool is_url(std::string_view text) {
    return !url_scheme(text).empty();
}

Result<std::string> percent_decoded(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            decoded += text[at];
            continue;
        }
        unsigned value = 0;
        const std::string_view digits = text.substr(at + 1, 2);
        const auto [stop, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (digits.size() != 2 || error != std::errc() || stop != digits.data() + 2)
            return Error{ErrorCode::usage, Error::no_offset,
                         fmt::format("%{} is not % and two hexadecimal digits; a percent sign is "
                                     "written as %25",
                                     digits)};
        decoded += static_cast<char>(value);
        at += 2;
    }
    return decoded;
}

}  // namespace lanescope
