// Splits text at separators.
#pragma once

#include <algorithm>
#include <string_view>

namespace lanescope {

// Removes and returns the text before the separator, or all of `rest` if there is none.
inline std::string_view take_until(std::string_view& rest, char separator) {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

}  // namespace lanescope
