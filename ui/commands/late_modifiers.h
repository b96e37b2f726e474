// LateModifiers: Dear ImGui reads the modifiers once a frame, after all keys and wheel turns of
// that frame. With a quick Ctrl+V, Ctrl may already be released by then, and the key would count as
// V.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <vector>

namespace lanescope {

class LateModifiers {
  public:
    // Before ImGui::NewFrame: removes queued events from the first modifier change on that follows
    // a key press or wheel turn.
    void hold_back();
    // After ImGui::NewFrame: queues them again for the next frame.
    void release();

  private:
    std::vector<ImGuiInputEvent> aside_;
};

}  // namespace lanescope
