#include "core/base/rest_of_stream.h"

#include <array>

namespace lanescope {

std::optional<std::string> rest_of(std::istream& stream) {
    std::string text;
    std::array<char, 16384> block;
    do {
        stream.read(block.data(), block.size());
        text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    } while (stream);
    if (stream.bad()) return std::nullopt;
    return text;
}

}  // namespace lanescope
