// The packages that a window and a PNG need: for messages.
#pragma once

namespace lanescope {

// Follows the word "install". libEGL.so.1, libOpenGL.so.0 or libGL.so.1, and Mesa's drivers, which
// Debian's packages bring with them.
inline constexpr const char* kGraphicsPackages =
    "libegl1 and libgl1 (Debian, Ubuntu), libglvnd-egl, libglvnd-glx and mesa-dri-drivers (RHEL), "
    "or libegl, libgl and mesalib (conda-forge)";

}  // namespace lanescope
