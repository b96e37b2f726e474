// Dear ImGui without OpenGL, for tests that draw a part of the window.
#pragma once

#include <imgui.h>

namespace lanescope {

class HeadlessImGui {
  public:
    HeadlessImGui(float width, float height) {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
        io.DisplaySize = {width, height};
    }
    HeadlessImGui(const HeadlessImGui&) = delete;
    HeadlessImGui& operator=(const HeadlessImGui&) = delete;
    ~HeadlessImGui() {
        set_textures(0, ImTextureStatus_Destroyed);
        ImGui::DestroyContext();
    }

    // Draws one frame: draw() fills a window of the whole display.
    template <typename Draw>
    void frame(const Draw& draw) {
        ImGuiIO& io = ImGui::GetIO();
        io.DeltaTime = 1.0F / 60;
        ImGui::NewFrame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(io.DisplaySize);
        ImGui::Begin("window");
        draw();
        ImGui::End();
        ImGui::Render();
        set_textures(1, ImTextureStatus_OK);
    }

  private:
    static void set_textures(ImTextureID id, ImTextureStatus status) {
        for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
            texture->SetTexID(id);
            texture->SetStatus(status);
        }
    }
};

}  // namespace lanescope
