// Pictures of the window that its user asks for, saved or copied in the background.
#pragma once

#include "ui/app/app.h"

namespace lanescope {

// Both need the window's OpenGL context between two frames. `clock`: the time of App::frame, in
// seconds; also called later, by the window's thread.

// Of the frame that was just drawn. The request's size is that of the framebuffer, in pixels.
void take_drawn_picture(App& app, PictureRequest request, double (*clock)());
// Draws the window's contents in the request's size.
void take_sized_picture(App& app, const PictureRequest& request, double (*clock)());

}  // namespace lanescope
