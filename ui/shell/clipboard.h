// Pictures on the desktop's clipboard. GLFW only knows texts, so a program of the desktop does it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"

namespace lanescope {

// Hands the bytes of a PNG to wl-copy (Wayland) or xclip (X11); the name of the one that took it.
// Blocks until it has read them. Errors: neither is installed, or it refused; what to do about it.
Result<std::string> copy_picture(std::span<const uint8_t> png);

}  // namespace lanescope
