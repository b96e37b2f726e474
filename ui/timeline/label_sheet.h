// Labels that were drawn before, kept as pictures of their text: a label is then one quad that
// replaces what is below it, where Dear ImGui blends two triangles a glyph.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ui/shell/theme.h"

namespace lanescope {

class LabelSheet {
  public:
    static constexpr int kSide = 2048;  // texels; a window of 4K full of labels fits
    // Where a picture of a text lies, in texels.
    struct Place {
        uint16_t x, y, width, height;
    };

    // The labels of a frame follow, in one font and size (before scale).
    void begin(const Look& look, ImFont* font, float size);
    // The picture of a text, drawn now if it is new; nullptr where there is no room for it.
    const Place* place(std::string_view text);

    // Texels for each of Dear ImGui's pixels.
    float density() const { return density_; }
    // Coverage of each texel, by lines.
    const uint8_t* texels() const { return texels_.data(); }
    // The lines [from, to) that changed since this was last asked.
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
    int sources_ = 0;  // of the font, which takes in more when a text needs them
    float size_ = 0;
    float line_ = 0;  // height of a text, as Dear ImGui counts
    float density_ = 0;
    int height_ = 0;  // of a picture
};

}  // namespace lanescope
