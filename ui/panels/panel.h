// Panel: one of the tabs around the timeline. A panel draws what features and analyses have
// computed; it reads the open trace from the frame, and leaves requests in it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "ui/frame/frame.h"

namespace lanescope {

class Panel {
  public:
    Panel() = default;
    virtual ~Panel() = default;
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    // One of panel_names(), which is followed by a zero byte.
    virtual std::string_view name() const = 0;
    // The text of its tab if that differs from the name.
    virtual std::string tab_text(const Frame& /*frame*/) const { return {}; }
    // Called once a frame, even while the panel is not visible.
    virtual void follow(Frame& /*frame*/) {}
    // Draws into the panel's window, while that is visible.
    virtual void draw(Frame& frame) = 0;
    // The width of the panel's first line, in pixels, if the line may be beside the buttons of a
    // group; 0: it may not.
    virtual float width_of_tools(const Look& /*look*/) const { return 0; }
    // Whether everything requested is shown.
    virtual bool ready() const { return true; }
    // Whether others need the panel to be ready even while it is not visible.
    virtual bool works_hidden() const { return false; }
    // Saves the rows shown in a file; false: the panel has none.
    virtual bool save_rows(Frame& /*frame*/) { return false; }
    // Releases what was computed from a trace, which would keep the trace alive.
    virtual void forget() {}
    // The panel's keys of the state file (docs/testing.md), and its table; null: it has none.
    virtual void describe(const Frame& /*frame*/, nlohmann::json& /*state*/) const {}
    virtual nlohmann::json describe_table() const;
};

}  // namespace lanescope
