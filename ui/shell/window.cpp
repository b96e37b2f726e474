#include "ui/shell/window.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "ui/shell/offscreen.h"
#include "ui/shell/png.h"

namespace lanescope {

namespace {

// Callbacks find the pacing here; glfwSetWindowUserPointer holds it.
struct WindowState {
    FramePacing* pacing = nullptr;
    std::vector<std::string> dropped;
};

WindowState& state_of(GLFWwindow* window) {
    return *static_cast<WindowState*>(glfwGetWindowUserPointer(window));
}

void wake(GLFWwindow* window) {
    if (state_of(window).pacing) state_of(window).pacing->wake();
}

// Dear ImGui's own callbacks call these first.
void install_callbacks(GLFWwindow* window) {
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { wake(w); });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { wake(w); });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
    glfwSetKeyCallback(window, [](GLFWwindow* w, int, int, int, int) { wake(w); });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned) { wake(w); });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { wake(w); });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { wake(w); });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { wake(w); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { wake(w); });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        for (int i = 0; i < count; ++i) state_of(w).dropped.emplace_back(paths[i]);
        wake(w);
    });
}

std::string picture_name() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[64];
    std::strftime(text, sizeof text, "lanescope-%Y%m%d-%H%M%S.png", &local);
    return text;
}

void save_window_picture(GLFWwindow* window, App& app) {
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(window, &width, &height);
    const std::string path = std::filesystem::absolute(picture_name()).string();
    const auto saved = write_png(path, width, height, read_framebuffer(width, height));
    app.notify(saved ? "Picture saved as " + path : saved.error().text, glfwGetTime());
}

// On X11 a pixel is a pixel and the content scale says how dense they are; on Wayland the
// framebuffer is larger than the window, and Dear ImGui sees to that.
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
    if (app.take_screenshot_request()) save_window_picture(window, app);
    glfwSwapBuffers(window);
}

void run_loop(GLFWwindow* window, App& app, WindowState& state, std::atomic<bool>& background) {
    double last = glfwGetTime();
    std::string title;
    while (!glfwWindowShouldClose(window)) {
        sleep_until_due(app.pacing());
        if (background.exchange(false)) app.pacing().wake();
        if (!state.dropped.empty()) {
            app.open(state.dropped.front());
            state.dropped.clear();
        }
        if (app.pacing().plan(glfwGetTime()).sleep != FramePacing::Sleep::none) continue;
        app.set_content_scale(content_scale(window));
        draw(window, app, last);
        if (app.title() != title) {
            title = app.title();
            glfwSetWindowTitle(window, title.c_str());
        }
    }
}

Error no_window() {
    const char* why = nullptr;
    glfwGetError(&why);
    return {ErrorCode::unsupported, Error::no_offset,
            std::string("No window can be opened: ") + (why ? why : "no display") +
                ". Without a screen, save a picture: lanescope-viewer --screenshot OUT.png TRACE"};
}

GLFWwindow* make_window(const Settings& settings) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "lanescope");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "lanescope");
    glfwWindowHintString(GLFW_WAYLAND_APP_ID, "lanescope");
    return glfwCreateWindow(settings.window_width, settings.window_height, "Lanescope", nullptr,
                            nullptr);
}

}  // namespace

Result<void> run_window(AppOptions options, const std::string& file) {
    // Asked for Wayland where there is none, its library complains on stderr.
    if (!std::getenv("WAYLAND_DISPLAY") && std::getenv("DISPLAY"))
        glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
    if (!glfwInit()) return no_window();
    GLFWwindow* window = make_window(options.settings);
    if (!window) {
        const Error error = no_window();
        glfwTerminate();
        return error;
    }
    glfwMakeContextCurrent(window);
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
        App app(std::move(options), [&background] {
            background = true;
            glfwPostEmptyEvent();
        });
        state.pacing = &app.pacing();
        if (!file.empty()) app.open(file);
        run_loop(window, app, state, background);
        state.pacing = nullptr;
        int width = 0;
        int height = 0;
        glfwGetWindowSize(window, &width, &height);
        if (!glfwGetWindowAttrib(window, GLFW_ICONIFIED)) app.set_window_size(width, height);
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
