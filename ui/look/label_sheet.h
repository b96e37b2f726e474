// Caches labels as pictures of their text. A cached label is a single quad that replaces the pixels
// below it; Dear ImGui would blend two triangles for each glyph.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ui/look/theme.h"

namespace lanescope {

class LabelSheet {
  public:
    static constexpr int kSide = 2048;  // texels; sufficient for a 4K window full of labels
    // The position of a text's picture in texels.
    struct Place {
        uint16_t x, y, width, height;
    };

    // Begins the labels of a frame, in one font and size (before scaling).
    void begin(const Look& look, ImFont* font, float size);
    // The picture of a text, drawn now if it is new; nullptr if there is no space for it.
    const Place* place(std::string_view text);

    // Texels for each of Dear ImGui's pixels.
    float density() const { return density_; }
    // Coverage of each texel, line by line.
    const uint8_t* texels() const { return texels_.data(); }
    // The lines [from, to) that have changed since the last call.
    struct Lines {
        int from = 0, to = 0;
    };
    Lines take_changed() { return std::exchange(changed_, {}); }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };

    void draw(std::string_view text, Place at);

    std::unordered_map<std::string, Place, Hash, std::equal_to<>> places_;
    std::vector<uint8_t> texels_;
    Lines changed_;
    int next_x_ = 0;
    int next_y_ = 0;

    const Look* look_ = nullptr;
    ImFont* font_ = nullptr;
    int sources_ = 0;  // number of the font's sources; a new text may add some
    float size_ = 0;
    float line_ = 0;  // height of a text in Dear ImGui's units
    float density_ = 0;
    int height_ = 0;  // height of a picture
};

}  // namespace lanescope
