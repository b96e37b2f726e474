#include "ui/platform/web/run_page.h"

#include <emscripten.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/export/tables/table_writer.h"
#include "core/platform/web/later.h"
#include "core/registry/tables.h"
#include "core/session/specs_file.h"
#include "ui/app/app.h"
#include "ui/app/take_picture.h"
#include "ui/platform/web/page.h"

namespace lanescope {

namespace {

constexpr const char* kConfig = "/config";
constexpr double kMostBetweenWork = 0.1;  // seconds
constexpr const char* kSample = "/files/synthetic_step.json.gz";

struct Page {
    std::unique_ptr<App> app;
    int width = 1280;
    int height = 800;
    float scale = 1;
    double last = 0;
    double last_work = 0;
    std::string title;
    ImGuiMouseCursor cursor = ImGuiMouseCursor_Arrow;
};

Page& page() {
    static Page the_page;
    return the_page;
}

double seconds_now() {
    return emscripten_get_now() / 1000;
}

const char* cursor_name(ImGuiMouseCursor cursor) {
    switch (cursor) {
        case ImGuiMouseCursor_None:
            return "none";
        case ImGuiMouseCursor_TextInput:
            return "text";
        case ImGuiMouseCursor_ResizeAll:
            return "move";
        case ImGuiMouseCursor_ResizeNS:
            return "ns-resize";
        case ImGuiMouseCursor_ResizeEW:
            return "ew-resize";
        case ImGuiMouseCursor_ResizeNESW:
            return "nesw-resize";
        case ImGuiMouseCursor_ResizeNWSE:
            return "nwse-resize";
        case ImGuiMouseCursor_Hand:
            return "pointer";
        case ImGuiMouseCursor_Wait:
            return "wait";
        case ImGuiMouseCursor_Progress:
            return "progress";
        case ImGuiMouseCursor_NotAllowed:
            return "not-allowed";
        default:
            return "default";
    }
}

AppOptions page_options() {
    AppOptions options;
    options.settings_path = std::string(kConfig) + "/settings.json";
    options.layout_path = std::string(kConfig) + "/layout.json";
    options.lanes_folder = std::string(kConfig) + "/lanes";
    LoadedSettings loaded = load_settings(options.settings_path);
    options.settings = std::move(loaded.settings);
    options.settings.recent_files.clear();  // files of an earlier visit cannot be opened again
    options.greeting = std::move(loaded.message);
    if (!loaded.may_save) options.settings_path.clear();
    if (const Result<SpecsBookPtr> specs = load_specs("")) options.evidence = Evidence(*specs);
    std::error_code code;
    if (std::filesystem::exists(kSample, code)) options.sample_path = kSample;
    options.state_path = "/state.json";
    return options;
}

void set_up_imgui() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    io.BackendPlatformName = "lanescope_page";
    io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
    ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
    platform.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
        page_state().clipboard = text;
        tell_page("copy", text);
    };
    platform.Platform_GetClipboardTextFn = [](ImGuiContext*) {
        return page_state().clipboard.c_str();
    };
    platform.Platform_SetImeDataFn = [](ImGuiContext*, ImGuiViewport*, ImGuiPlatformImeData* data) {
        tell_page("ime", data->WantVisible ? std::to_string(data->InputPos.x / page().scale) + " " +
                                                 std::to_string(data->InputPos.y / page().scale)
                                           : "");
    };
    ImGui_ImplOpenGL3_Init("#version 300 es");
}

void tell_changes() {
    Page& shown = page();
    if (std::string title = shown.app->title(); title != shown.title) {
        shown.title = std::move(title);
        tell_page("title", shown.title);
    }
    if (const ImGuiMouseCursor cursor = ImGui::GetMouseCursor(); cursor != shown.cursor) {
        shown.cursor = cursor;
        tell_page("cursor", cursor_name(cursor));
    }
}

void draw_page(double now) {
    Page& shown = page();
    App& app = *shown.app;
    app.set_content_scale(shown.scale);
    app.begin_frame();
    ImGui_ImplOpenGL3_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(shown.width), static_cast<float>(shown.height)};
    io.DisplayFramebufferScale = {1, 1};
    io.DeltaTime = static_cast<float>(std::max(now - shown.last, 1e-4));
    ImGui::NewFrame();
    app.frame(now, now - shown.last);
    shown.last = now;
    ImGui::Render();
    app.clear_background();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    if (std::optional<PictureRequest> picture = app.take_picture_request()) {
        if (picture->width == 0) {
            picture->width = shown.width;
            picture->height = shown.height;
            take_drawn_picture(app, std::move(*picture), seconds_now);
        } else {
            take_sized_picture(app, *picture, seconds_now);
            app.pacing().wake();
        }
    }
    tell_changes();
}

}  // namespace

void start_page(bool dark) {
    page_state().dark = dark;
    set_up_imgui();
    page().app = std::make_unique<App>(page_options(), [] {
        if (page().app) page().app->pacing().wake();
    });
    page().last = seconds_now();
}

void resize_page(int width, int height, float scale) {
    page().width = width;
    page().height = height;
    page().scale = scale;
    if (page().app) page().app->pacing().wake();
}

double step_page(double now) {
    App& app = *page().app;
    // A window that draws all the time, such as one that waits for a load, must not stop the work.
    const bool work_is_due = has_later() && now - page().last_work > kMostBetweenWork;
    if (!work_is_due && app.pacing().plan(now).sleep == FramePacing::Sleep::none) {
        draw_page(now);
        return 0;
    }
    run_one_later();
    page().last_work = seconds_now();
    if (app.pacing().plan(now).sleep == FramePacing::Sleep::none) return 0;
    if (has_later()) return kWorkWaits;
    const FramePacing::Plan plan = app.pacing().plan(now);
    return plan.sleep == FramePacing::Sleep::until ? std::max(plan.seconds, 1e-3) : -1;
}

bool page_works() {
    return has_later();
}

void open_in_page(const std::vector<std::string>& paths, bool add) {
    App& app = *page().app;
    if (page_state().chooser_open && paths.size() == 1)
        page_state().chosen = paths.front();
    else if (add)
        app.take_offer(paths);
    else
        app.open(paths, {});
    page_state().chooser_open = false;
    app.pacing().wake();
}

void cancel_in_page() {
    page().app->cancel_loading();
}

std::string table_in_page(const std::string& name) {
    const std::vector<TracePtr> parts = page().app->parts();
    const TableMaker* const maker = find_table_maker(name, "");
    if (parts.empty() || !maker) return {};
    const Result<SpecsBookPtr> specs = load_specs("");
    const TraceContext context(parts.front(), specs ? Evidence(*specs) : Evidence());
    return write_table(maker->make(context, {}), TableFormat::json);
}

FramePacing& page_pacing() {
    return page().app->pacing();
}

}  // namespace lanescope
