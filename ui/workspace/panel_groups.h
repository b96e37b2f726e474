// PanelGroups: which panel each group shows, and which panels have windows of their own.
#pragma once

#include <imgui.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ui/commands/panel_names.h"
#include "ui/frame/frame.h"

namespace lanescope {

// Why a panel has nothing to show for the open trace; empty: it has, or this is not known yet.
std::string_view nothing_to_show(std::string_view panel, const Frame& frame);

class PanelGroups {
  public:
    // The panel in front of its group; empty: all its panels have windows of their own.
    std::string_view shown(const PanelGroup& group) const;
    // Puts a panel in front of its group.
    void choose(std::string_view panel);
    // Another trace is open: chosen panels stay in front unless they have nothing to show.
    void open_another();

    bool is_detached(std::string_view panel) const { return detached_.contains(panel); }
    void detach(std::string_view panel) { detached_.insert(panel); }
    void attach(std::string_view panel) { detached_.erase(panel); }
    const std::set<std::string_view>& detached() const { return detached_; }
    void set_detached(std::set<std::string_view> panels) { detached_ = std::move(panels); }

    // The window of a panel: its own, or that of its group.
    std::string_view window_of(std::string_view panel) const;
    // All windows: the timeline, the panels beside it, the groups, and the panels with their own.
    std::vector<std::string_view> windows() const;

    // Draws the buttons of a group's panels, except for a group of a single panel, and leaves the
    // cursor beside them if `tools`, a width in pixels, fits there. Chooses the panel whose button
    // is clicked; returns the panel that is to get a window of its own.
    std::optional<std::string_view> draw_buttons(const PanelGroup& group, float tools,
                                                 Frame& frame);
    // The button of a panel in the last frame, in the window; empty: not drawn.
    Box button(std::string_view panel) const;
    // To be called before the panels are drawn.
    void begin_frame(const Frame& frame);

  private:
    std::optional<std::string_view> draw_button(std::string_view panel, bool chosen, Frame& frame);

    struct Choice {
        std::string_view panel;
        bool now = true;  // made for the open trace, not an earlier one
    };
    std::map<std::string_view, Choice> chosen_;  // of the user, by window of a group
    std::set<std::string_view> detached_;
    std::map<std::string_view, std::string_view> empty_;  // panels with nothing to show, and why …
    std::weak_ptr<const Trace> empty_in_;                 // … in this trace …
    const void* empty_with_ = nullptr;                    // … with these steps
    std::map<std::string_view, Box> buttons_;
};

}  // namespace lanescope
