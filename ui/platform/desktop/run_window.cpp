#include "ui/app/run_window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cmath>
#include <cstdlib>

#include "core/session/reuse.h"
#include "ui/app/take_picture.h"
#include "ui/look/gl.h"
#include "ui/look/graphics_library.h"
#include "ui/platform/framebuffer.h"
#include "ui/platform/smooth_scroll.h"

namespace lanescope {

namespace {

// State for callbacks; stored with glfwSetWindowUserPointer.
struct WindowState {
    FramePacing* pacing = nullptr;
    std::vector<std::string> dropped;
    std::unique_ptr<SmoothScroll> scroll;   // null: use GLFW's scroll events only
    std::unique_ptr<ReuseListener> offers;  // null: no traces of other programs are taken
};

WindowState& state_of(GLFWwindow* window) {
    return *static_cast<WindowState*>(glfwGetWindowUserPointer(window));
}

void wake(GLFWwindow* window) {
    if (state_of(window).pacing) state_of(window).pacing->wake();
}

void take_input(GLFWwindow* window) {
    if (state_of(window).pacing) state_of(window).pacing->take_input();
}

// Dear ImGui's own callbacks call these functions first.
void install_callbacks(GLFWwindow* window) {
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { wake(w); });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { take_input(w); });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { take_input(w); });
    glfwSetKeyCallback(window, [](GLFWwindow* w, int, int, int, int) { take_input(w); });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned) { wake(w); });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
        if (focused && state_of(w).offers) state_of(w).offers->claim();
        wake(w);
    });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { wake(w); });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { wake(w); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { wake(w); });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        for (int i = 0; i < count; ++i) state_of(w).dropped.emplace_back(paths[i]);
        wake(w);
    });
}

// On X11, GLFW reports whole notches; fractions arrive separately, and replace the notches that the
// X server derives from them.
void scroll_smoothly(GLFWwindow* window) {
    if (glfwGetPlatform() != GLFW_PLATFORM_X11) return;
    state_of(window).scroll = SmoothScroll::open(glfwPostEmptyEvent);
    if (!state_of(window).scroll) return;
    glfwSetScrollCallback(window, [](GLFWwindow* w, double across, double along) {
        if (state_of(w).scroll->is_echo({across, along}))
            take_input(w);
        else
            ImGui_ImplGlfw_ScrollCallback(w, across, along);
    });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
        ImGui_ImplGlfw_CursorEnterCallback(w, entered);
        state_of(w).scroll->listen(entered == GLFW_TRUE);
    });
    state_of(window).scroll->listen(glfwGetWindowAttrib(window, GLFW_HOVERED) == GLFW_TRUE);
}

// The user has just asked another program for this window.
void take_offer(GLFWwindow* window, App& app) {
    ReuseListener* const offers = state_of(window).offers.get();
    if (!offers) return;
    const std::vector<std::string> paths = offers->take();
    if (paths.empty()) return;
    app.take_offer(paths);
    if (glfwGetWindowAttrib(window, GLFW_ICONIFIED)) glfwRestoreWindow(window);
    // On Wayland, only the desktop decides which window is in front.
    if (glfwGetPlatform() != GLFW_PLATFORM_WAYLAND) glfwFocusWindow(window);
    glfwRequestWindowAttention(window);
}

void take_fingers(GLFWwindow* window) {
    WindowState& state = state_of(window);
    if (!state.scroll) return;
    const SmoothScroll::Notches turned = state.scroll->take();
    if (turned.across == 0 && turned.along == 0) return;
    ImGui::GetIO().AddMouseWheelEvent(static_cast<float>(turned.across),
                                      static_cast<float>(turned.along));
    wake(window);
}

// On X11 units are pixels and the content scale gives their density; on Wayland the framebuffer is
// larger than the window, which Dear ImGui handles.
float content_scale(GLFWwindow* window) {
    if (glfwGetPlatform() == GLFW_PLATFORM_WAYLAND) return 1;
    float x = 1;
    float y = 1;
    glfwGetWindowContentScale(window, &x, &y);
    return x > 0 ? x : 1;
}

void sleep_until_due(const FramePacing& pacing) {
    const FramePacing::Plan plan = pacing.plan(glfwGetTime());
    switch (plan.sleep) {
        case FramePacing::Sleep::none:
            glfwPollEvents();
            break;
        case FramePacing::Sleep::until:
            glfwWaitEventsTimeout(plan.seconds);
            break;
        case FramePacing::Sleep::forever:
            glfwWaitEvents();
            break;
    }
}

void draw(GLFWwindow* window, App& app, double& last) {
    app.begin_frame();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    const double now = glfwGetTime();
    app.frame(now, now - last);
    last = now;
    ImGui::Render();
    app.clear_background();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    const std::optional<PictureRequest> picture = app.take_picture_request();
    if (picture && picture->width == 0) {
        PictureRequest whole = *picture;
        glfwGetFramebufferSize(window, &whole.width, &whole.height);
        take_drawn_picture(app, std::move(whole), glfwGetTime);
    }
    glfwSwapBuffers(window);
    if (picture && picture->width > 0) take_sized_picture(app, *picture, glfwGetTime);
}

void write_window_state(GLFWwindow* window, App& app) {
    const bool maximized = glfwGetWindowAttrib(window, GLFW_MAXIMIZED) == GLFW_TRUE;
    app.settings().window_maximized = maximized;
    if (maximized || glfwGetWindowAttrib(window, GLFW_ICONIFIED)) return;
    glfwGetWindowSize(window, &app.settings().window_width, &app.settings().window_height);
}

void run_loop(GLFWwindow* window, App& app, WindowState& state, std::atomic<bool>& background) {
    double last = glfwGetTime();
    std::string title;
    while (!glfwWindowShouldClose(window)) {
        sleep_until_due(app.pacing());
        take_fingers(window);
        take_offer(window, app);
        if (background.exchange(false)) app.pacing().wake();
        if (!state.dropped.empty()) {
            app.open(state.dropped, {});
            state.dropped.clear();
        }
        if (app.pacing().plan(glfwGetTime()).sleep != FramePacing::Sleep::none) continue;
        app.set_content_scale(content_scale(window));
        write_window_state(window, app);
        draw(window, app, last);
        if (app.title() != title) {
            title = app.title();
            glfwSetWindowTitle(window, title.c_str());
        }
    }
}

Error no_window(const char* why) {
    return {ErrorCode::unsupported, Error::no_offset,
            std::string("No window can be opened: ") + (why ? why : "no display") +
                ". Without a screen, save a picture: lanescope screenshot TRACE -o OUT.png"};
}

Error glfw_error() {
    const char* why = nullptr;
    glfwGetError(&why);
    return no_window(why);
}

// The saved size may come from a larger screen: limits it to the present one.
GLFWwindow* make_window(const Settings& settings) {
    int room_width = 0;
    int room_height = 0;
    if (GLFWmonitor* const monitor = glfwGetPrimaryMonitor())
        glfwGetMonitorWorkarea(monitor, nullptr, nullptr, &room_width, &room_height);
    const auto fitting = [](int wanted, int room) {
        return room > 0 ? std::min(wanted, room) : wanted;
    };
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_MAXIMIZED, settings.window_maximized ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "lanescope");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "lanescope");
    // The name of the desktop file, which has the icon.
    glfwWindowHintString(GLFW_WAYLAND_APP_ID, "org.lanescope.Lanescope");
    return glfwCreateWindow(fitting(settings.window_width, room_width),
                            fitting(settings.window_height, room_height), "Lanescope", nullptr,
                            nullptr);
}

bool is_set(const char* variable) {
    const char* const text = std::getenv(variable);
    return text && *text != '\0';
}

// Opens a window with OpenGL; the caller must terminate GLFW afterwards.
Result<GLFWwindow*> open_glfw(const Settings& settings, bool visible) {
    const bool has_wayland = is_set("WAYLAND_DISPLAY");
    if (!has_wayland && !is_set("DISPLAY"))
        return no_window("neither DISPLAY nor WAYLAND_DISPLAY is set");
    if (!gl().problem.empty()) return without_opengl("The window", gl().problem);
    // Without Wayland, a request for it makes its library complain on stderr.
    if (!has_wayland) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
    if (!glfwInit()) return glfw_error();
    glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
    GLFWwindow* window = make_window(settings);
    if (!window) {
        const Error error = glfw_error();
        glfwTerminate();
        return error;
    }
    glfwMakeContextCurrent(window);
    return window;
}

}  // namespace

Result<std::string> probe_window() {
    if (!gl().problem.empty()) return Error{ErrorCode::unsupported, Error::no_offset, gl().problem};
    const Result<GLFWwindow*> window = open_glfw({}, false);
    if (!window) return window.error();
    std::string found = opengl_here();
    glfwDestroyWindow(*window);
    glfwTerminate();
    return found;
}

Result<void> run_window(AppOptions options, const std::vector<std::string>& files,
                        const Alignment& alignment, bool follow) {
    const Result<GLFWwindow*> opened = open_glfw(options.settings, true);
    if (!opened) return opened.error();
    GLFWwindow* window = *opened;
    glfwSwapInterval(1);
    WindowState state;
    glfwSetWindowUserPointer(window, &state);
    install_callbacks(window);

    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
    {
        std::atomic<bool> background = false;
        const bool takes_offers = options.takes_offers;
        App app(std::move(options), [&background] {
            background = true;
            glfwPostEmptyEvent();
        });
        if (takes_offers)
            state.offers = ReuseListener::open(reuse_rules_here(), glfwPostEmptyEvent);
        state.pacing = &app.pacing();
        scroll_smoothly(window);
        if (follow)
            app.open_recording(files.front(), true);
        else if (!files.empty())
            app.open_typed(files, alignment);
        run_loop(window, app, state, background);
        state.pacing = nullptr;
        state.scroll = nullptr;
        state.offers = nullptr;
        app.save_settings_now();
        app.close_graphics();
    }
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(window);
    glfwTerminate();
    return {};
}

}  // namespace lanescope
