// PanelKeys: panels without a mouse. F6 gives the keys to the panels in front, one after the other;
// then the arrows, Tab and Enter are theirs, until Esc.
#pragma once

#include <imgui.h>

#include <span>
#include <string>

struct ImGuiWindow;

namespace lanescope {

class PanelKeys {
  public:
    // The panel that has the keys; empty: the timeline has them.
    const std::string& panel() const { return panel_; }
    bool on() const { return !panel_.empty(); }

    // To the next of the panels in front, in their order; after the last one back to the timeline.
    void next(std::span<const std::string> in_front);
    void leave();
    // Whether a key is the panel's, not a command's: those that move in it and press what is there.
    static bool takes(ImGuiKeyChord pressed);
    // Esc: out of the part of the panel that has the keys, which Dear ImGui does by itself, or out
    // of the panel.
    void escape();
    // Once a frame, when the panels were drawn: a click anywhere takes the keys back.
    void follow();

    // The arrows walk through a window from its first item on, once it is drawn.
    static void give_to(ImGuiWindow& window);

  private:
    std::string panel_;
    bool focus_wanted_ = false;
    // A part of the panel: its table, or a field that is typed into. Esc is carried out when Dear
    // ImGui has gone out of it already, so the frame before counts too.
    bool inside_ = false;
    bool was_inside_ = false;
};

}  // namespace lanescope
