// The list of all keys, where keys can also be changed.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/commands/keys.h"
#include "ui/look/theme.h"

namespace lanescope {

// Distributes the groups of commands over columns of similar length.
std::vector<std::vector<std::string_view>> help_columns(std::size_t count);

class KeyHelp {
  public:
    bool shown() const { return shown_; }
    void show(bool shown);
    // Shows the list, and waits for this command's new key.
    void change(Action action);
    // Waiting for a command's new key: the next key press is used for nothing else.
    bool waits_for_key() const { return shown_ && changing_ != Action::none; }
    // Takes the keys of a frame while waiting; true if `settings` have changed.
    bool take(std::span<const PressedKey> pressed, std::span<const ImWchar> typed,
              KeySettings& settings);
    // Whether the key scrolls the list when it is longer than the window.
    bool scrolls(ImGuiKeyChord pressed) const;
    // Scroll position and maximum in the last frame.
    std::pair<float, float> scroll() const { return scroll_; }
    // Draws it above the timeline.
    void draw(const KeyMap& keys, const KeySettings& settings, const Look& look);
    // For tests: position of a command's key in the last frame.
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
