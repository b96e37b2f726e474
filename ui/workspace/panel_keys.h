// PanelKeys: keyboard focus of panels. F6 gives keyboard focus to the front panels one after
// another; arrows, Tab and Enter then belong to the panel, until Esc.
#pragma once

#include <imgui.h>

#include <span>
#include <string>

struct ImGuiWindow;

namespace lanescope {

class PanelKeys {
  public:
    // The panel with keyboard focus; empty: the timeline.
    const std::string& panel() const { return panel_; }
    bool on() const { return !panel_.empty(); }

    // Moves to the next of the front panels, and after the last one back to the timeline.
    void next(std::span<const std::string> in_front);
    void leave();
    // Whether the focused panel uses a key, and not a command: keys that move in the panel and
    // press its controls.
    static bool takes(ImGuiKeyChord pressed);
    // Esc: leaves the focused part of the panel (which Dear ImGui does by itself), or the panel.
    void escape();
    // Called once a frame, after the panels: a click anywhere ends the keyboard focus.
    void follow();

    // The arrow keys begin with the window's first item, once it is drawn.
    static void give_to(ImGuiWindow& window);

  private:
    std::string panel_;
    bool focus_wanted_ = false;
    // Inside a part of the panel: its table, or a text field. Esc is handled after Dear ImGui has
    // left it, so the previous frame counts too.
    bool inside_ = false;
    bool was_inside_ = false;
};

}  // namespace lanescope
