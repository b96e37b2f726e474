// The window in a page: functions that app/web/worker.js calls. All times are in seconds since an
// origin of the page's own.
#pragma once

#include <string>
#include <vector>

#include "ui/frame/frame_pacing.h"

namespace lanescope {

// `dark`: the browser's colours. The WebGL 2 context is current.
void start_page(bool dark);

// What the page shows on; sizes in pixels of the screen, `scale` pixels per CSS pixel.
void resize_page(int width, int height, float scale);

// Draws a frame if one is due, and does one piece of work that waits. Returns when to call again: 0
// with the next frame of the screen, more than 0 after so many seconds, -1 after the next input, or
// kWorkWaits.
double step_page(double now);
inline constexpr double kWorkWaits = -2;  // of step_page(): call again soon
bool page_works();

// `add`: below the open traces.
void open_in_page(const std::vector<std::string>& paths, bool add);
void cancel_in_page();
// A table of the first open trace as JSON, as `lanescope table NAME --format json` writes it;
// empty: there is no such table, or no trace.
std::string table_in_page(const std::string& name);
FramePacing& page_pacing();

}  // namespace lanescope
