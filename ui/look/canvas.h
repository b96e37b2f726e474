// Canvas: lets parts of the window bypass Dear ImGui's textured, blended triangles. Backgrounds are
// cleared before the frame is drawn; quads are drawn by the painter at their place in a draw list.
#pragma once

#include <imgui.h>

#include <memory>
#include <vector>

#include "ui/look/quad_painter.h"

namespace lanescope {

class Canvas {
  public:
    // Drops the last frame's backgrounds.
    void begin_frame() { backgrounds_.clear(); }
    // Fills [min, max) behind everything that Dear ImGui draws; a later background covers earlier
    // ones.
    void background(ImVec2 min, ImVec2 max, ImU32 color) {
        backgrounds_.push_back({min, max, color});
    }
    // Clears the framebuffer to `base` and then to the backgrounds. Call with the context current,
    // before Dear ImGui's own drawing.
    void clear(ImU32 base, ImVec2 display, ImVec2 framebuffer_scale) const;
    // Created on first use, which requires the context to be current.
    QuadPainter& painter();
    // Frees the OpenGL objects; call before the context is destroyed.
    void close() { painter_.reset(); }

  private:
    struct Background {
        ImVec2 min, max;
        ImU32 color;
    };
    std::vector<Background> backgrounds_;
    std::unique_ptr<QuadPainter> painter_;
};

}  // namespace lanescope
