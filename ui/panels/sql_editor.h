// SqlEditor: the field in which a query is written: completion by Tab, earlier queries by Ctrl+Up
// and Ctrl+Down, and the place of an error.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/look/theme.h"
#include "ui/panels/sql_runner.h"

namespace lanescope {

class SqlEditor {
  public:
    const std::string& text() const { return text_; }
    // Replaces the text, and gives the field the focus.
    void set_text(std::string text);
    // Underlines the word at this byte of the text until the text changes, and moves the caret to
    // it if `moves_caret` is set.
    void mark(std::size_t place, bool moves_caret);
    void unmark() { marked_.reset(); }

    // Draws the field. Returns true if Ctrl+Enter was pressed. `history` has the newest query
    // first.
    bool draw(const Look& look, ImVec2 size, const SqlNames& names,
              const std::vector<std::string>& history);
    bool focused() const { return focused_; }
    std::size_t caret() const { return caret_; }  // a byte of the text
    // The completions of the word at the caret, if Tab could insert none of them alone.
    const std::vector<std::string>& words() const { return words_; }
    // The centre of the field on the screen in the last frame.
    ImVec2 middle() const { return middle_; }

  private:
    struct Calls {
        SqlEditor* editor;
        const SqlNames* names;
    };
    static int on_event(ImGuiInputTextCallbackData* data);
    void complete(ImGuiInputTextCallbackData& data, const SqlNames& names);
    void recall(bool earlier, const std::vector<std::string>& history);
    void underline(const Look& look, ImGuiID id) const;

    std::string text_;
    std::string before_escape_;  // Dear ImGui's Esc would restore an earlier text
    std::string typed_;          // the text before the first recall
    std::size_t back_ = 0;       // the place in the history, from 1 on; 0: `typed_`
    std::vector<std::string> words_;
    std::optional<std::size_t> marked_;  // a byte of `marked_in_`
    std::string marked_in_;              // the text that was marked
    std::optional<std::size_t> caret_wanted_;
    std::size_t caret_ = 0;
    bool reload_ = false;  // Dear ImGui takes the text from here in the next frame
    bool focus_wanted_ = false;
    bool focused_ = false;
    ImVec2 middle_;
};

}  // namespace lanescope
