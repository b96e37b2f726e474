// The list of all keys, where they can be changed too.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/shell/keys.h"
#include "ui/shell/theme.h"

namespace lanescope {

// The groups of commands in so many columns of about the same length.
std::vector<std::vector<std::string_view>> help_columns(std::size_t count);

class KeyHelp {
  public:
    bool shown() const { return shown_; }
    void show(bool shown);
    // Shows it, and waits for this command's key.
    void change(Action action);
    // Waits for the key that a command shall have: it gets the next one, and nothing else does.
    bool waits_for_key() const { return shown_ && changing_ != Action::none; }
    // Takes the keys of a frame while it waits; true when `settings` have changed.
    bool take(std::span<const PressedKey> pressed, std::span<const ImWchar> typed,
              KeySettings& settings);
    // Keys that go through the list where it is longer than the window.
    bool scrolls(ImGuiKeyChord pressed) const;
    // How far it is scrolled, and may be; of the last frame.
    std::pair<float, float> scroll() const { return scroll_; }
    // Draws it above the timeline.
    void draw(const KeyMap& keys, const KeySettings& settings, const Look& look);
    // Where a command's key stands in the window, of the last frame; for tests.
    std::optional<ImVec2> place_of(std::string_view id) const;

  private:
    void draw_group(std::string_view group, const KeyMap& keys, const KeySettings& settings,
                    const Look& look);
    void scroll_by_keys();
    void draw_key(const Command& command, const KeyMap& keys, bool own, const Look& look);

    bool shown_ = false;
    Action changing_ = Action::none;
    std::vector<std::pair<Action, ImVec2>> places_;
    std::pair<float, float> scroll_;
};

}  // namespace lanescope
