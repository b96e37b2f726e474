#include "ui/platform/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <optional>
#include <utility>

#include "ui/look/gl.h"
#include "ui/look/graphics_library.h"
#include "ui/platform/framebuffer.h"

namespace lanescope {

namespace {

// Loaded at the first use.
struct Egl {
    decltype(&eglGetPlatformDisplay) get_platform_display = nullptr;
    decltype(&eglInitialize) initialize = nullptr;
    decltype(&eglBindAPI) bind_api = nullptr;
    decltype(&eglCreateContext) create_context = nullptr;
    decltype(&eglMakeCurrent) make_current = nullptr;
    decltype(&eglDestroyContext) destroy_context = nullptr;
    decltype(&eglTerminate) terminate = nullptr;
    std::string problem;  // why functions are missing; empty: all are there
};

Egl load_egl() {
    Egl egl;
    GraphicsLibrary library("libEGL.so.1");
    library.find("eglGetPlatformDisplay", egl.get_platform_display);
    library.find("eglInitialize", egl.initialize);
    library.find("eglBindAPI", egl.bind_api);
    library.find("eglCreateContext", egl.create_context);
    library.find("eglMakeCurrent", egl.make_current);
    library.find("eglDestroyContext", egl.destroy_context);
    library.find("eglTerminate", egl.terminate);
    egl.problem = library.problem();
    return egl;
}

const Egl& egl() {
    static const Egl table = load_egl();
    return table;
}

Error unavailable(std::string what) {
    return {ErrorCode::unsupported, Error::no_offset, std::move(what)};
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
        egl().make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        egl().destroy_context(display_, context_);
        egl().terminate(display_);
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
    if (!egl().problem.empty()) return unavailable(egl().problem);
    if (!gl().problem.empty()) return unavailable(gl().problem);
    const EGLDisplay display =
        egl().get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display == EGL_NO_DISPLAY) return unavailable("EGL has no display without a surface");
    if (!egl().initialize(display, nullptr, nullptr)) return unavailable("EGL cannot be started");
    if (!egl().bind_api(EGL_OPENGL_API)) return unavailable("EGL has no desktop OpenGL");
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 3,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
    const EGLContext context =
        egl().create_context(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT) return unavailable("EGL has no OpenGL 3.3");
    if (!egl().make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        return unavailable("EGL cannot draw without a surface");
    }
    auto picture = std::make_unique<EglPicture>(display, context, width, height);
    if (!picture->complete())
        return Error{ErrorCode::usage, Error::no_offset,
                     "The picture is larger than OpenGL allows here. Choose a smaller size."};
    return std::unique_ptr<Offscreen>(std::move(picture));
}

}  // namespace lanescope
