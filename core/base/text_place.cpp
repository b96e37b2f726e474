#include "core/base/text_place.h"

#include <algorithm>

namespace lanescope {

TextPlace place_in_text(std::string_view text, uint64_t offset) {
    TextPlace place;
    place.offset = static_cast<std::size_t>(std::min<uint64_t>(offset, text.size()));
    place.line_begin = place.offset == 0 ? 0 : text.rfind('\n', place.offset - 1) + 1;
    place.line_end = std::min(text.find('\n', place.offset), text.size());
    for (std::size_t i = place.line_begin; i < place.offset; ++i)
        place.column += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    place.line += static_cast<std::size_t>(std::count(
        text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place.line_begin), '\n'));
    return place;
}

}  // namespace lanescope
