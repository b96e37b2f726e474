// Feature: a part of what the window can do, such as the search or the notes. A feature owns its
// state, its dialogs and its commands; the window calls its functions at fixed points of a frame.
#pragma once

#include <imgui.h>

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "ui/commands/chooser.h"
#include "ui/commands/keys.h"
#include "ui/frame/frame.h"

namespace lanescope {

// The things that Esc closes, one for each press, in this order.
enum class Layer {
    column,
    panel_keys,
    sheet,  // the list of keys, the legend
    error,
    reading,  // the search in arguments
    classes,
    alike,
    search,
    note,
    range,
    selection,
    gap,
};
inline constexpr int kLayers = static_cast<int>(Layer::gap) + 1;

class Feature {
  public:
    Feature() = default;
    virtual ~Feature() = default;
    Feature(const Feature&) = delete;
    Feature& operator=(const Feature&) = delete;

    // The commands that it executes. Each command has exactly one owner.
    virtual std::span<const Action> actions() const { return {}; }
    // Executes one of its commands.
    virtual void act(Action /*action*/, Frame& /*frame*/) {}
    // Takes a request that it is responsible for; false: the request is for another feature.
    virtual bool take(const Request& /*request*/, Frame& /*frame*/) { return false; }
    // Whether the menu marks one of its commands as on.
    virtual bool is_on(Action /*action*/, const Frame& /*frame*/) const { return false; }
    // Uses a pressed key before any command does; false: the key is left to others.
    virtual bool take_key(ImGuiKeyChord /*pressed*/, Frame& /*frame*/) { return false; }
    // Closes what belongs to a layer; false if there is nothing to close.
    virtual bool dismiss(Layer /*layer*/, Frame& /*frame*/) { return false; }

    // Files are being read: another trace, or the open one again.
    virtual void opened(OpenTrace& /*trace*/, Frame& /*frame*/) {}
    // A newer trace is about to replace the one on the timeline.
    virtual void replacing(const ViewIndexPtr& /*next*/, Frame& /*frame*/) {}
    // A trace is on the timeline, perhaps a part of the file; `first`: the first of its files.
    virtual void shown(bool /*first*/, Frame& /*frame*/) {}
    // The complete trace is on the timeline, and Frame::loaded() has it.
    virtual void loaded(LoadedTrace& /*loaded*/, Frame& /*frame*/) {}

    // The points of a frame, in order: before anything is drawn; over the timeline, in
    // [min, max); over everything; after everything was drawn.
    virtual void begin(Frame& /*frame*/) {}
    virtual void draw_on_timeline(ImVec2 /*min*/, ImVec2 /*max*/, Frame& /*frame*/) {}
    virtual void draw_over(Frame& /*frame*/) {}
    virtual void follow(Frame& /*frame*/) {}

    // A dialog has the keyboard.
    virtual bool dialog_shown() const { return false; }
    // Whether the feature has nothing left to do for what is shown.
    virtual bool settled(const Frame& /*frame*/) const { return true; }
    // Further lines of the palette of commands.
    virtual void offer(std::vector<Choice>& /*choices*/, Frame& /*frame*/) {}
    // Further lines at the end of a group of the main menu; for an empty group, at the end of the
    // whole menu.
    virtual void draw_menu(std::string_view /*group*/, Frame& /*frame*/) {}
    // The feature's keys of the state file (docs/testing.md).
    virtual void describe(const Frame& /*frame*/, nlohmann::json& /*state*/) const {}
};

}  // namespace lanescope
