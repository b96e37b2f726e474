#include "ui/look/fonts.h"

// Embedded into the object by third_party/fonts.cmake.
extern "C" {
extern const unsigned char lanescope_font_roboto_regular_begin[];
extern const unsigned char lanescope_font_roboto_regular_end[];
extern const unsigned char lanescope_font_roboto_medium_begin[];
extern const unsigned char lanescope_font_roboto_medium_end[];
extern const unsigned char lanescope_font_inconsolata_begin[];
extern const unsigned char lanescope_font_inconsolata_end[];
extern const unsigned char lanescope_font_font_awesome_begin[];
extern const unsigned char lanescope_font_font_awesome_end[];
}

namespace lanescope {

FontBytes roboto_regular() {
    return {lanescope_font_roboto_regular_begin, lanescope_font_roboto_regular_end};
}

FontBytes roboto_medium() {
    return {lanescope_font_roboto_medium_begin, lanescope_font_roboto_medium_end};
}

FontBytes inconsolata() {
    return {lanescope_font_inconsolata_begin, lanescope_font_inconsolata_end};
}

FontBytes font_awesome() {
    return {lanescope_font_font_awesome_begin, lanescope_font_font_awesome_end};
}

}  // namespace lanescope
