#include "ui/app/take_picture.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "ui/platform/clipboard.h"
#include "ui/platform/framebuffer.h"
#include "ui/platform/png.h"

namespace lanescope {

namespace {

// The window's contents in another size; empty if OpenGL has no framebuffer of this size. The next
// frame of the window restores everything.
std::vector<uint8_t> draw_sized(App& app, const PictureRequest& request, double now) {
    constexpr int kFrames = 6;  // a new layout needs some frames to settle
    const Framebuffer framebuffer(request.width, request.height);
    if (!framebuffer.complete()) return {};
    app.set_content_scale(request.scale / static_cast<float>(app.settings().scale));
    ImGuiIO& io = ImGui::GetIO();
    for (int i = 0; i < kFrames; ++i) {
        app.begin_frame();
        ImGui_ImplOpenGL3_NewFrame();
        io.DisplaySize = {static_cast<float>(request.width), static_cast<float>(request.height)};
        io.DisplayFramebufferScale = {1, 1};
        io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
        ImGui::NewFrame();
        app.frame(now, 0);
        ImGui::Render();
        app.clear_background();
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    }
    return read_framebuffer(request.width, request.height);
}

// Saves or copies the picture; returns the message about the result.
std::string keep_picture(const PictureRequest& request, const std::vector<uint8_t>& pixels,
                         const OutputRules& rules) {
    if (!request.path.empty()) {
        const auto saved = write_png(request.path, request.width, request.height, pixels, rules);
        return saved ? "Picture saved as " + request.path : saved.error().text;
    }
    const auto png = encode_png(request.width, request.height, pixels);
    if (!png) return png.error().text;
    const auto copied = copy_picture(*png);
    return copied ? "Picture copied to the clipboard." : copied.error().text;
}

// Only the requested part; its position is in window units, each of which may be several pixels.
void crop(PictureRequest& request, std::vector<uint8_t>& pixels) {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    const auto pixel = [](int units, float factor, int limit) {
        return std::clamp(static_cast<int>(std::lround(static_cast<float>(units) * factor)), 0,
                          limit);
    };
    const PartPicture& part = *request.part;
    const int x0 = pixel(part.x, scale.x, request.width);
    const int x1 = pixel(part.x + part.width, scale.x, request.width);
    const int y0 = pixel(part.y, scale.y, request.height);
    const int y1 = pixel(part.y + part.height, scale.y, request.height);
    if (x0 >= x1 || y0 >= y1) return;
    std::vector<uint8_t> cut;
    cut.reserve(static_cast<std::size_t>(x1 - x0) * static_cast<std::size_t>(y1 - y0) * 4);
    for (int y = y0; y < y1; ++y) {
        const auto row = pixels.begin() + (std::ptrdiff_t{y} * request.width + x0) * 4;
        cut.insert(cut.end(), row, row + std::ptrdiff_t{x1 - x0} * 4);
    }
    pixels = std::move(cut);
    request.width = x1 - x0;
    request.height = y1 - y0;
}

// `pixels`: empty: OpenGL has no framebuffer of this size.
void keep_in_background(App& app, const PictureRequest& request, std::vector<uint8_t> pixels,
                        double (*clock)()) {
    if (pixels.empty()) {
        app.notify("The picture is larger than OpenGL allows here. Choose a smaller size.",
                   clock());
        return;
    }
    OutputRules rules;
    for (const TracePtr& part : app.parts()) rules.inputs.push_back(part->path);
    app.jobs().run([request, rules,
                    pixels = std::move(pixels)] { return keep_picture(request, pixels, rules); },
                   [&app, clock](std::string message) { app.notify(std::move(message), clock()); });
}

}  // namespace

void take_drawn_picture(App& app, PictureRequest request, double (*clock)()) {
    std::vector<uint8_t> pixels = read_framebuffer(request.width, request.height);
    if (request.part && !pixels.empty()) crop(request, pixels);
    keep_in_background(app, request, std::move(pixels), clock);
}

void take_sized_picture(App& app, const PictureRequest& request, double (*clock)()) {
    app.set_picture_taken(true);
    std::vector<uint8_t> pixels = draw_sized(app, request, clock());
    app.set_picture_taken(false);
    keep_in_background(app, request, std::move(pixels), clock);
}

}  // namespace lanescope
