#include "ui/platform/framebuffer.h"

#include <cstring>
#include <sstream>

#include "ui/look/gl.h"

namespace lanescope {

Framebuffer::Framebuffer(int width, int height) {
    gl().GenTextures(1, &texture_);
    gl().BindTexture(GL_TEXTURE_2D, texture_);
    gl().TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                    nullptr);
    gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl().GenFramebuffers(1, &framebuffer_);
    gl().BindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    gl().FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
    gl().BindTexture(GL_TEXTURE_2D, 0);
}

Framebuffer::~Framebuffer() {
    gl().BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl().DeleteFramebuffers(1, &framebuffer_);
    gl().DeleteTextures(1, &texture_);
}

bool Framebuffer::complete() const {
    return gl().CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

std::vector<uint8_t> read_framebuffer(int width, int height) {
    const auto row_bytes = static_cast<std::size_t>(width) * 4;
    const auto rows = static_cast<std::size_t>(height);
    std::vector<uint8_t> upside_down(row_bytes * rows);
    std::vector<uint8_t> picture(row_bytes * rows);
    gl().PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl().ReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
    for (std::size_t y = 0; y < rows; ++y) {
        std::memcpy(&picture[y * row_bytes], &upside_down[(rows - 1 - y) * row_bytes], row_bytes);
    }
    return picture;
}

std::string opengl_here() {
    GLint major = 0;
    GLint minor = 0;
    gl().GetIntegerv(GL_MAJOR_VERSION, &major);
    gl().GetIntegerv(GL_MINOR_VERSION, &minor);
    std::ostringstream text;
    text << "OpenGL " << major << "." << minor << ", " << gl().GetString(GL_RENDERER);
    return text.str();
}

}  // namespace lanescope
