// The window on a screen, and the same picture without one.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/alignment.h"
#include "core/session/companions.h"
#include "ui/app/app.h"

namespace lanescope {

// Opens a window and runs until it is closed. Without files it shows the start screen. `follow`:
// the only file is a recording, which is awaited and followed.
Result<void> run_window(AppOptions options, const std::vector<std::string>& files,
                        const Alignment& alignment, bool follow = false);

struct PictureOptions {
    std::string out;
    int width = 1920;
    int height = 1080;
    Theme theme = Theme::dark;
    float scale = 1;
    Companions companions;
    std::string range;    // see parse_time_range(); empty: everything
    std::string panel;    // panel to bring to the front; empty: the default
    std::string lanes;    // regular expression; empty: all lanes
    std::string select;   // name of a slice to select: the first that begins in the range
    Alignment alignment;  // how to align several files
    std::optional<ColorMode> color;  // none: the mode that fits the trace
    bool flows = false;              // draw the flows of all slices in view
    bool critical_path = false;
    bool any_state = false;  // also draws an error or, without a file, the start screen
    Evidence evidence;       // beside each file
};
// Loads the files and writes what the window would show. Needs no display.
Result<void> save_picture(const PictureOptions& picture, const std::vector<std::string>& files);

struct FrameTimes {
    std::vector<double> seconds;  // duration of each frame, from its first call to its last pixel
    std::vector<double> cpu_seconds;     // CPU time of all threads in that time
    std::vector<double> thread_seconds;  // CPU time of the window's thread alone
    std::string renderer;                // the renderer as OpenGL names it
    std::size_t slices = 0;              // of the trace
};
// Flies through the file without a display and measures each frame: either the whole window, or the
// timeline alone, filling the picture.
Result<FrameTimes> time_frames(const PictureOptions& picture, const std::string& file, int frames,
                               bool timeline_alone);

// The OpenGL of a window and of a picture: "OpenGL 4.5, llvmpipe". Opens a hidden window. Errors:
// there is no display, or no OpenGL 3.3.
Result<std::string> probe_window();
Result<std::string> probe_picture();

}  // namespace lanescope
