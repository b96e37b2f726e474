// The fonts built into the program, as the bytes of their .ttf or .otf files.
#pragma once

#include <span>

namespace lanescope {

using FontBytes = std::span<const unsigned char>;

FontBytes roboto_regular();  // text
FontBytes roboto_medium();   // names and headings
FontBytes inconsolata();     // source code and addresses
FontBytes font_awesome();    // icons: the code points of <icons_font_awesome_6.h>

}  // namespace lanescope
