// The dialog behind F12: the size of a picture of the window, and its destination.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/commands/requests.h"
#include "ui/look/theme.h"

namespace lanescope {

struct PictureRequest {
    int width = 0;  // pixels; 0: the window as it is
    int height = 0;
    float scale = 1;                       // scale of the interface
    std::string path;                      // a PNG; empty: the clipboard
    std::optional<PartPicture> part = {};  // only this part of the window
};

class PictureDialog {
  public:
    // Opens in the next frame, with the window's size and scale.
    void show(int width, int height, float scale);
    bool shown() const { return shown_; }
    std::optional<PictureRequest> draw(const Look& look);
    // For tests: the offered sizes, with the corners of their words.
    const std::vector<std::pair<std::string, ImVec4>>& choices() const { return choices_; }

  private:
    void draw_sizes(const Look& look);

    bool wanted_ = false;
    bool shown_ = false;
    int window_width_ = 0;
    int window_height_ = 0;
    PictureRequest request_;
    std::vector<std::pair<std::string, ImVec4>> choices_;
};

// The name of a picture taken now, in the current folder.
std::string picture_name();

}  // namespace lanescope
