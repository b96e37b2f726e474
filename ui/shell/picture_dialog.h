// The dialog behind F12: how large a picture of the window should be, and where it goes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/shell/requests.h"
#include "ui/shell/theme.h"

namespace lanescope {

struct PictureRequest {
    int width = 0;  // pixels; 0: as the window is, without drawing it anew
    int height = 0;
    float scale = 1;                       // of the interface
    std::string path;                      // a PNG; empty: to the clipboard
    std::optional<PartPicture> part = {};  // only this of the window as it is
};

class PictureDialog {
  public:
    // Opens at the next frame, with the size and scale of the window.
    void show(int width, int height, float scale);
    bool shown() const { return shown_; }
    std::optional<PictureRequest> draw(const Look& look);
    // The sizes that are offered, with the corners of their words; for tests.
    const std::vector<std::pair<std::string, ImVec4>>& choices() const { return choices_; }

  private:
    bool wanted_ = false;
    bool shown_ = false;
    int window_width_ = 0;
    int window_height_ = 0;
    PictureRequest request_;
    std::vector<std::pair<std::string, ImVec4>> choices_;
};

// A name for a picture that is taken now, in the current folder.
std::string picture_name();

}  // namespace lanescope
