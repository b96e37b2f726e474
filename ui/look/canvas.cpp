#include "ui/look/canvas.h"

#include <cmath>

#include "ui/look/gl.h"

namespace lanescope {

namespace {

void clear_to(ImU32 color) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
    gl().ClearColor(c.x, c.y, c.z, 1);
    gl().Clear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

void Canvas::clear(ImU32 base, ImVec2 display, ImVec2 framebuffer_scale) const {
    gl().Disable(GL_SCISSOR_TEST);
    gl().Viewport(0, 0, static_cast<int>(display.x * framebuffer_scale.x),
                  static_cast<int>(display.y * framebuffer_scale.y));
    clear_to(base);
    gl().Enable(GL_SCISSOR_TEST);
    for (const Background& b : backgrounds_) {
        const int left = static_cast<int>(std::lround(b.min.x * framebuffer_scale.x));
        const int right = static_cast<int>(std::lround(b.max.x * framebuffer_scale.x));
        const int bottom =
            static_cast<int>(std::lround((display.y - b.max.y) * framebuffer_scale.y));
        const int top = static_cast<int>(std::lround((display.y - b.min.y) * framebuffer_scale.y));
        if (right <= left || top <= bottom) continue;
        gl().Scissor(left, bottom, right - left, top - bottom);
        clear_to(b.color);
    }
    gl().Disable(GL_SCISSOR_TEST);
}

QuadPainter& Canvas::painter() {
    if (!painter_) painter_ = std::make_unique<QuadPainter>();
    return *painter_;
}

}  // namespace lanescope
