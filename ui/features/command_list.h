// The list of keys, the palette of commands and the main menu: the ways to every command.
#pragma once

#include <functional>
#include <optional>

#include "ui/commands/help.h"
#include "ui/frame/feature.h"
#include "ui/frame/feature_list.h"

namespace lanescope {

class CommandListFeature : public Feature {
  public:
    // All features; it must be called before the first frame.
    void list(const FeatureList& features) { features_ = &features; }

    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    bool take_key(ImGuiKeyChord pressed, Frame& frame) override;
    bool dismiss(Layer layer, Frame& frame) override;
    void draw_over(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // The next key press becomes a command's key, and is used for nothing else.
    bool waits_for_key() const { return help_.waits_for_key(); }
    void take_new_key(std::span<const PressedKey> pressed, std::span<const ImWchar> typed,
                      Frame& frame);
    bool help_shown() const { return help_.shown(); }
    // Draws the menu below the last item; to be called after the button "Menu".
    void draw_main_menu(Frame& frame);

  private:
    void open_palette(Frame& frame);
    void choose_command_for_key(Frame& frame);
    void draw_group(std::string_view group, Frame& frame);

    const FeatureList* features_ = nullptr;
    KeyHelp help_;
    bool menu_wanted_ = false;
};

}  // namespace lanescope
