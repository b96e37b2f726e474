// A picture needs more height than the rows of a table: a panel with a picture makes its part of
// the dock space higher while it is in front, and returns the space afterwards.
#pragma once

#include <imgui.h>

#include <string_view>

#include "ui/workspace/layout.h"

namespace lanescope {

class PanelRoom {
  public:
    explicit PanelRoom(std::string_view panel) : panel_(panel) {}

    // Once a frame, after the panels were drawn.
    void follow(ImGuiID dockspace, float scale);
    // The edge moved, so panels have another height in the next frame.
    bool moved() const { return moved_; }
    // Removes the extra height from a layout.
    void leave_out(PanelLayout& layout) const;

  private:
    void take(ImGuiID dockspace, float scale);
    void give_back();

    std::string_view panel_;
    bool was_in_front_ = false;
    bool moved_ = false;
    ImGuiID split_ = 0;  // whose edge was moved; 0: none
    ImGuiID node_ = 0;   // that got the room
    float by_ = 0;       // pixels
    float height_ = 0;   // of the node with the extra space
    float scale_ = 1;
};

}  // namespace lanescope
