// Texts in SVG, and its lines.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "core/view/color.h"

namespace lanescope {

// Escapes text for elements and attributes; control characters become spaces.
std::string svg_escaped(std::string_view text);
// "#5aa2ff".
std::string svg_color(Color color);

// An SVG document that is written line by line.
class SvgLines {
  public:
    template <typename... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        text_ += '\n';
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

}  // namespace lanescope
