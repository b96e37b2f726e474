#include "app/commands/place_in_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope {

Error with_place(std::string_view text, const Error& error) {
    if (error.byte_offset == Error::no_offset) return error;
    const std::size_t place = std::min<std::size_t>(error.byte_offset, text.size());
    const std::size_t begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
    const std::size_t end = std::min(text.find('\n', place), text.size());
    std::size_t columns = 0;
    for (std::size_t i = begin; i < place; ++i)
        columns += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    std::string line(text.substr(begin, end - begin));
    std::ranges::replace(line, '\t', ' ');
    const auto number =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    const std::string where =
        begin > 0 || end < text.size() ? fmt::format(" (line {})", number) : "";
    return {error.code, Error::no_offset,
            fmt::format("{}{}\n  {}\n  {}^", error.text, where, line, std::string(columns, ' '))};
}

}  // namespace lanescope
