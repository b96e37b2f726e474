// LateModifiers: Dear ImGui reads the modifiers once a frame, after all keys and turns of the wheel
// that it takes in that frame. A quick Ctrl+V may have its Ctrl up again by then, and would be a V.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <vector>

namespace lanescope {

class LateModifiers {
  public:
    // Before ImGui::NewFrame: sets aside what is queued from the first modifier on that changes
    // after a key went down or the wheel turned.
    void set_aside();
    // After it: queues that again, for the next frame.
    void put_back();

  private:
    std::vector<ImGuiInputEvent> aside_;
};

}  // namespace lanescope
