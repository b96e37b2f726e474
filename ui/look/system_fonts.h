// Finds system fonts for characters that the built-in ones lack (Chinese, Arabic, symbols, …),
// using fontconfig.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace lanescope {

// A complete font with outlines.
struct SystemFont {
    std::string path;
    int index = 0;  // in a file that holds several
    std::vector<unsigned char> bytes;
};

// Fonts that together have as many of the characters as possible, each font once, without those in
// `known`. Empty if fontconfig finds none. Reads files: too slow for a frame. Not thread-safe.
std::vector<std::shared_ptr<const SystemFont>> find_system_fonts(
    std::set<uint32_t> characters, const std::set<std::string>& known);

// Whether the bytes begin like a font with outlines; fonts with only bitmaps cannot be drawn.
bool has_outlines(const std::vector<unsigned char>& bytes, int index);

}  // namespace lanescope
