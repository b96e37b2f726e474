// PanelRoom: extra height for a panel with a picture, which needs more height than the rows of a
// table. Makes its part of the dock space higher while it is in front, and returns the space
// afterwards.
#pragma once

#include <imgui.h>

#include <string_view>

#include "ui/workspace/layout.h"

namespace lanescope {

class PanelRoom {
  public:
    // Called once a frame, after the panels were drawn. `window`: of the panel, or its group;
    // `in_front`: whether the panel is visible there.
    void follow(std::string_view window, bool in_front, ImGuiID dockspace, float scale);
    // Whether a border moved, so that panels have another height in the next frame.
    bool moved() const { return moved_; }
    // Removes the extra height from a layout.
    void leave_out(PanelLayout& layout) const;

  private:
    void take(ImGuiID dockspace, float scale);
    void give_back();

    std::string_view window_;
    bool was_in_front_ = false;
    bool moved_ = false;
    ImGuiID split_ = 0;  // the split whose border was moved; 0: none
    ImGuiID node_ = 0;   // the node that got the extra height
    float by_ = 0;       // the extra height in pixels
    float height_ = 0;   // height of the node including the extra height
    float scale_ = 1;
};

}  // namespace lanescope
