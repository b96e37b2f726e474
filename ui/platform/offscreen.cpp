#include "ui/platform/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <optional>
#include <utility>

#include "ui/platform/framebuffer.h"

namespace lanescope {

namespace {

Error unavailable(const char* what) {
    return {ErrorCode::unsupported, Error::no_offset,
            std::string(what) +
                ": pictures without a display need Mesa's EGL (libegl1, libgl1-mesa-dri)."};
}

class EglPicture : public Offscreen {
  public:
    EglPicture(EGLDisplay display, EGLContext context, int width, int height)
        : display_(display),
          context_(context),
          width_(width),
          height_(height),
          framebuffer_(std::in_place, width, height) {}
    EglPicture(const EglPicture&) = delete;
    EglPicture& operator=(const EglPicture&) = delete;
    ~EglPicture() override {
        framebuffer_.reset();  // while the context is current
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display_, context_);
        eglTerminate(display_);
    }

    bool complete() const { return framebuffer_->complete(); }
    int width() const override { return width_; }
    int height() const override { return height_; }

    std::vector<uint8_t> pixels() const override { return read_framebuffer(width_, height_); }

  private:
    EGLDisplay display_;
    EGLContext context_;
    int width_;
    int height_;
    std::optional<Framebuffer> framebuffer_;
};

}  // namespace

Result<std::unique_ptr<Offscreen>> Offscreen::create(int width, int height) {
    const EGLDisplay display =
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display == EGL_NO_DISPLAY) return unavailable("no surfaceless EGL display");
    if (!eglInitialize(display, nullptr, nullptr)) return unavailable("EGL cannot be started");
    if (!eglBindAPI(EGL_OPENGL_API)) return unavailable("EGL has no desktop OpenGL");
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 3,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
    const EGLContext context =
        eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT) return unavailable("EGL has no OpenGL 3.3");
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        return unavailable("EGL cannot draw without a surface");
    }
    auto picture = std::make_unique<EglPicture>(display, context, width, height);
    if (!picture->complete()) return unavailable("the picture is larger than OpenGL allows here");
    return std::unique_ptr<Offscreen>(std::move(picture));
}

}  // namespace lanescope
