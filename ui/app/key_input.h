// Turns pressed keys into actions, and decides which part of the window has the arrow keys.
#pragma once

#include <optional>
#include <vector>

#include "ui/app/features.h"

namespace lanescope {

// Turns the keys of a frame into requests for actions, unless a dialog, a menu, a text field or a
// feature uses them.
void take_keys(const std::vector<PressedKey>& pressed, Features& features, Frame& frame);
// Reads the keys of continuous actions that are held down.
HeldKeys held_keys(const Features& features, const Frame& frame);
// Dear ImGui has the arrow keys while a menu, a panel, a list or a screen of buttons needs them.
void share_arrow_keys(const Features& features, const Frame& frame);
// Without a timeline the arrow keys move between the buttons shown instead. `screen_has_keys`: of
// the last frame.
void keep_keys_on_screen(std::optional<bool>& screen_has_keys, const Frame& frame);
// When a floating window closes, Dear ImGui focuses the window created last, and brings that panel
// to the front of its tabs: this prevents it. Call it after everything was drawn.
void leave_what_is_gone();

}  // namespace lanescope
