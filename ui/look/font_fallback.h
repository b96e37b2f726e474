// FontFallback: detects drawn characters that the window's fonts lack, searches the system's fonts
// for them in the background, and adds those fonts. Searches only when a text needs it; a character
// that no font has remains a box.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ui/look/system_fonts.h"

struct ImFont;

namespace lanescope {

// The missing characters; Dear ImGui's atlas holds a pointer to this.
struct MissedCharacters {
    std::set<uint32_t> fresh;
    std::set<uint32_t> looked_for;
};

class FontFallback {
  public:
    using Job = std::function<std::function<void()>()>;

    // Needs a Dear ImGui context, which owns `fonts`.
    explicit FontFallback(std::vector<ImFont*> fonts);
    ~FontFallback();
    FontFallback(const FontFallback&) = delete;
    FontFallback& operator=(const FontFallback&) = delete;

    // A job for a background thread that searches fonts, or none; its result belongs to the
    // window's thread. Call it after texts were drawn.
    Job job();
    // Adds the fonts that were found; true if texts look different now. Only between frames: drops
    // glyphs that an unfinished frame may use.
    bool take_in();
    // Fonts were found and are not yet added.
    bool pending() const { return !found_.empty(); }
    const std::vector<std::shared_ptr<const SystemFont>>& taken() const { return taken_; }

  private:
    std::vector<ImFont*> fonts_;
    std::unique_ptr<MissedCharacters> missed_;
    std::vector<std::shared_ptr<const SystemFont>> found_;
    // Keeps the bytes alive that Dear ImGui reads.
    std::vector<std::shared_ptr<const SystemFont>> taken_;
    bool looking_ = false;
};

}  // namespace lanescope
