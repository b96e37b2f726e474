#include "ui/look/canvas.h"

#include <cmath>

#include "ui/look/gl.h"

namespace lanescope {

namespace {

void clear_to(ImU32 color) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
    glClearColor(c.x, c.y, c.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

void Canvas::clear(ImU32 base, ImVec2 display, ImVec2 framebuffer_scale) const {
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, static_cast<int>(display.x * framebuffer_scale.x),
               static_cast<int>(display.y * framebuffer_scale.y));
    clear_to(base);
    glEnable(GL_SCISSOR_TEST);
    for (const Background& b : backgrounds_) {
        const int left = static_cast<int>(std::lround(b.min.x * framebuffer_scale.x));
        const int right = static_cast<int>(std::lround(b.max.x * framebuffer_scale.x));
        const int bottom =
            static_cast<int>(std::lround((display.y - b.max.y) * framebuffer_scale.y));
        const int top = static_cast<int>(std::lround((display.y - b.min.y) * framebuffer_scale.y));
        if (right <= left || top <= bottom) continue;
        glScissor(left, bottom, right - left, top - bottom);
        clear_to(b.color);
    }
    glDisable(GL_SCISSOR_TEST);
}

QuadPainter& Canvas::painter() {
    if (!painter_) painter_ = std::make_unique<QuadPainter>();
    return *painter_;
}

}  // namespace lanescope
