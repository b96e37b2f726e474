// The input field for a search expression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "ui/look/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

class FindBox {
  public:
    const std::string& text() const { return text_; }
    // Focuses the field in the next frame.
    void focus() { focus_wanted_ = true; }
    bool focused() const { return focused_; }
    void clear() { text_.clear(); }
    void set_error(std::optional<Error> error) { error_ = std::move(error); }
    const std::optional<Error>& error() const { return error_; }
    const Box& box() const { return box_; }

    // Draws it at a place of the current window. `status`: the result of the search, at the right
    // end; `filter`: the word on the button, such as "Stop" or a filter's, empty: no button;
    // `history`: newest first, for the arrow keys. True if the button was pressed.
    bool draw(const Look& look, const Box& box, const std::string& status,
              const std::string& filter, const std::vector<std::string>& history);

  private:
    void recall(struct ImGuiInputTextCallbackData& data, const std::vector<std::string>& history);
    void underline_error(const Look& look) const;
    void draw_error(const Look& look) const;

    std::string text_;
    std::string before_escape_;
    std::string typed_;     // before stepping through the history
    std::size_t back_ = 0;  // steps back in the history
    std::optional<Error> error_;
    Box box_;
    bool focus_wanted_ = false;
    bool focused_ = false;
};

}  // namespace lanescope
