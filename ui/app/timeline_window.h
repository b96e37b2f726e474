// The window of the timeline, or of the screen that is shown in its place.
#pragma once

#include <optional>

#include "ui/app/features.h"

namespace lanescope {

// `screen_has_keys`: see keep_keys_on_screen().
void draw_timeline_window(Features& features, std::optional<bool>& screen_has_keys, Frame& frame);

}  // namespace lanescope
