#include "app/commands/place_in_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text_place.h"

namespace lanescope {

Error with_place(std::string_view text, const Error& error) {
    if (error.byte_offset == Error::no_offset) return error;
    const TextPlace place = place_in_text(text, error.byte_offset);
    std::string line(text.substr(place.line_begin, place.line_end - place.line_begin));
    std::ranges::replace(line, '\t', ' ');
    const bool several = place.line_begin > 0 || place.line_end < text.size();
    const std::string where = several ? fmt::format(" (line {})", place.line) : "";
    return {error.code, Error::no_offset,
            fmt::format("{}{}\n  {}\n  {}^", error.text, where, line,
                        std::string(place.column - 1, ' '))};
}

}  // namespace lanescope
