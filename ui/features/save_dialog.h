// The dialog that asks where a table, a picture or notes are to be saved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/commands/requests.h"
#include "ui/look/theme.h"

namespace lanescope {

class SaveDialog {
  public:
    // Opens in the next frame. `inputs`: files that must not be replaced.
    void show(SaveRequest request, std::vector<std::string> inputs);
    bool shown() const { return shown_; }
    // Draws it; returns the request with the chosen path once.
    std::optional<SaveRequest> draw(const Look& look);
    const std::string& path() const { return request_.path; }

  private:
    std::string problem() const;

    bool wanted_ = false;
    bool shown_ = false;
    bool to_field_ = false;  // the field gets the keyboard
    SaveRequest request_;
    std::vector<std::string> inputs_;
};

}  // namespace lanescope
