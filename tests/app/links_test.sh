#!/bin/bash
# The command line runs on machines without a screen, so it must not link the window's libraries.
set -u

libraries=$(ldd "$LANESCOPE_BIN/lanescope") || exit 1
if grep -E 'lib(GL|OpenGL|EGL|GLX|X11|xcb|wayland|fontconfig|glfw)' <<<"$libraries"; then
    echo "lanescope links a library of the window"
    exit 1
fi
grep -q 'libc\.so' <<<"$libraries" # checks that ldd listed libraries at all
