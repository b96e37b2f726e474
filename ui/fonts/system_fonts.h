// Fonts of the system for what the built-in ones lack (Chinese, Arabic, symbols, …), found by
// fontconfig.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace lanescope {

// A font with outlines, whole.
struct SystemFont {
    std::string path;
    int index = 0;  // in a file that holds several
    std::vector<unsigned char> bytes;
};

// Fonts that together hold as many of the characters as the system has, each at most once; none of
// `known`. Empty when fontconfig knows of none. Reads files: not for a frame. One call at a time.
std::vector<std::shared_ptr<const SystemFont>> find_system_fonts(
    std::set<uint32_t> characters, const std::set<std::string>& known);

// Whether the bytes begin as a font does whose outlines can be drawn: pictures alone are not
// enough.
bool has_outlines(const std::vector<unsigned char>& bytes, int index);

}  // namespace lanescope
