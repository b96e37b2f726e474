#include "ui/commands/late_modifiers.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

// Dear ImGui without a window: consecutive frames with input queued in between.
class Frames {
  public:
    Frames() {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
        io.DisplaySize = {800, 600};
        io.DeltaTime = 0.01f;
        ImGui::NewFrame();
    }
    Frames(const Frames&) = delete;
    Frames& operator=(const Frames&) = delete;
    ~Frames() {
        ImGui::EndFrame();
        ImGui::DestroyContext();
    }

    // Ends the present frame and begins the next.
    void next() {
        ImGui::EndFrame();
        late_.hold_back();
        ImGui::NewFrame();
        late_.release();
    }
    static int waiting() { return ImGui::GetCurrentContext()->InputEventsQueue.Size; }

  private:
    LateModifiers late_;
};

bool pressed(ImGuiKeyChord chord) {
    return ImGui::IsKeyChordPressed(chord);
}

}  // namespace

TEST_CASE("A key keeps a modifier that is released within the same frame") {
    Frames frames;
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, true);
    io.AddKeyEvent(ImGuiKey_LeftCtrl, true);
    frames.next();
    io.AddKeyEvent(ImGuiKey_V, true);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    io.AddKeyEvent(ImGuiKey_LeftCtrl, false);
    io.AddKeyEvent(ImGuiKey_V, false);
    frames.next();
    CHECK(pressed(ImGuiMod_Ctrl | ImGuiKey_V));
    frames.next();
    CHECK(!pressed(ImGuiKey_V));
    CHECK(!io.KeyCtrl);
    frames.next();
    CHECK(!ImGui::IsKeyDown(ImGuiKey_V));
    CHECK(frames.waiting() == 0);
}

TEST_CASE("A key does not get a modifier that is pressed after it") {
    Frames frames;
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiKey_A, true);
    io.AddKeyEvent(ImGuiMod_Ctrl, true);
    frames.next();
    CHECK(pressed(ImGuiKey_A));
    CHECK(!io.KeyCtrl);
    frames.next();
    CHECK(io.KeyCtrl);
}

TEST_CASE("The wheel keeps its modifier too") {
    Frames frames;
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, true);
    frames.next();
    io.AddMouseWheelEvent(0, 1);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    frames.next();
    CHECK(io.MouseWheel == 1);
    CHECK(io.KeyCtrl);
    frames.next();
    CHECK(io.MouseWheel == 0);
    CHECK(!io.KeyCtrl);
}

TEST_CASE("A modifier pressed again before its release was handled stays pressed") {
    Frames frames;
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, true);
    frames.next();
    io.AddKeyEvent(ImGuiKey_V, true);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    frames.next();
    io.AddKeyEvent(ImGuiMod_Ctrl, true);
    frames.next();
    frames.next();
    CHECK(io.KeyCtrl);
}
