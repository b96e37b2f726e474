// Copies pictures to the desktop's clipboard. GLFW supports only text, so a program of the desktop
// does it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"

namespace lanescope {

// Passes a PNG to wl-copy (Wayland) or xclip (X11); returns the name of the program. Blocks until
// it has read all bytes. Errors: neither is installed, or it refused; the message says what to do.
Result<std::string> copy_picture(std::span<const uint8_t> png);

}  // namespace lanescope
