// FontFallback: notices which characters the fonts of the window lack as they are drawn, has fonts
// of the system looked for in the background, and takes them in. Nothing is looked for before a
// text asks for it; what no font has stays a box.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ui/fonts/system_fonts.h"

struct ImFont;

namespace lanescope {

// What was missed; Dear ImGui's atlas holds a pointer to it.
struct MissedCharacters {
    std::set<uint32_t> fresh;
    std::set<uint32_t> looked_for;
};

class FontFallback {
  public:
    using Job = std::function<std::function<void()>()>;

    // Needs a Dear ImGui context; `fonts` are its own.
    explicit FontFallback(std::vector<ImFont*> fonts);
    ~FontFallback();
    FontFallback(const FontFallback&) = delete;
    FontFallback& operator=(const FontFallback&) = delete;

    // A job for a background thread that looks for fonts, or none; what it gives belongs to the
    // window's thread. Call it after texts were drawn.
    Job job();
    // Takes in what was found; true when texts look different now. Only between frames: it drops
    // glyphs that a frame in the making may hold.
    bool take_in();
    // Something was found and not taken in yet.
    bool pending() const { return !found_.empty(); }
    const std::vector<std::shared_ptr<const SystemFont>>& taken() const { return taken_; }

  private:
    std::vector<ImFont*> fonts_;
    std::unique_ptr<MissedCharacters> missed_;
    std::vector<std::shared_ptr<const SystemFont>> found_;
    std::vector<std::shared_ptr<const SystemFont>> taken_;  // Dear ImGui reads their bytes
    bool looking_ = false;
};

}  // namespace lanescope
