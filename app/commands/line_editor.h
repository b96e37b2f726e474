// LineEditor: reads lines from the terminal with editing, history and completion.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

struct LineCompletion {
    std::string insertion;           // behind the caret
    std::vector<std::string> words;  // to be listed if nothing is inserted
};

enum class LineEnd : uint8_t { entered, interrupted, closed };

// One at a time.
class LineEditor {
  public:
    // `complete`: for the text before the caret. `history_path`: empty to keep no history.
    LineEditor(std::string history_path, std::function<LineCompletion(std::string_view)> complete);
    ~LineEditor();  // writes the history
    LineEditor(const LineEditor&) = delete;
    LineEditor& operator=(const LineEditor&) = delete;

    // Reads a line without its end. interrupted: Ctrl+C; closed: Ctrl+D on an empty line, or the
    // end of the input.
    LineEnd read(const std::string& prompt, std::string& line);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
