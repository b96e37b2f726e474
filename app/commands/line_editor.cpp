#include "app/commands/line_editor.h"

#include <fmt/format.h>
#include <histedit.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <filesystem>

namespace lanescope {

namespace {

constexpr int kKeptLines = 1000;

// The words in columns.
void print_words(const std::vector<std::string>& words) {
    std::size_t width = 0;
    for (const std::string& word : words) width = std::max(width, word.size() + 2);
    winsize size = {};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const std::size_t columns = std::max<std::size_t>(1, (known ? size.ws_col : 80) / width);
    const std::size_t lines = (words.size() + columns - 1) / columns;
    for (std::size_t line = 0; line < lines; ++line) {
        for (std::size_t i = line; i < words.size(); i += lines)
            fmt::print("{:<{}}", words[i], width);
        fmt::print("\n");
    }
}

// Whether Ctrl+C is a signal and Ctrl+D an end instead of keys. libedit changes it only after it
// has shown the prompt, when a user may have pressed the key already.
void use_control_keys(bool apply) {
    termios terminal = {};
    if (tcgetattr(STDIN_FILENO, &terminal)) return;
    if (apply)
        terminal.c_lflag |= ISIG | ICANON;
    else
        terminal.c_lflag &= ~static_cast<tcflag_t>(ISIG | ICANON);
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
}

}  // namespace

struct LineEditor::State {
    std::string history_path;
    std::function<LineCompletion(std::string_view)> complete;
    std::string prompt;
    bool interrupted = false;
    EditLine* editor = nullptr;
    History* history = nullptr;

    static State& of(EditLine* editor) {
        void* state = nullptr;
        el_get(editor, EL_CLIENTDATA, &state);
        return *static_cast<State*>(state);
    }
    static char* prompt_of(EditLine* editor) { return of(editor).prompt.data(); }
    static unsigned char on_tab(EditLine* editor, int) {
        const LineInfo* const line = el_line(editor);
        const std::string_view before(line->buffer,
                                      static_cast<std::size_t>(line->cursor - line->buffer));
        const LineCompletion completion = of(editor).complete(before);
        if (!completion.insertion.empty())
            return el_insertstr(editor, completion.insertion.c_str()) ? CC_ERROR : CC_REFRESH;
        if (completion.words.size() < 2) return CC_REFRESH_BEEP;
        fmt::print("\n");
        print_words(completion.words);
        std::fflush(stdout);
        return CC_REDISPLAY;
    }
    static unsigned char on_interrupt(EditLine* editor, int) {
        of(editor).interrupted = true;
        fmt::print("^C\n");
        std::fflush(stdout);
        return CC_NEWLINE;
    }
};

LineEditor::LineEditor(std::string history_path,
                       std::function<LineCompletion(std::string_view)> complete)
    : state_(std::make_unique<State>()) {
    state_->history_path = std::move(history_path);
    state_->complete = std::move(complete);
    std::setlocale(LC_CTYPE, "");  // for letters of more than one byte
    state_->editor = el_init("lanescope", stdin, stdout, stderr);
    state_->history = history_init();
    HistEvent event;
    history(state_->history, &event, H_SETSIZE, kKeptLines);
    history(state_->history, &event, H_SETUNIQUE, 1);
    if (!state_->history_path.empty())
        history(state_->history, &event, H_LOAD, state_->history_path.c_str());
    EditLine* const editor = state_->editor;
    el_set(editor, EL_CLIENTDATA, state_.get());
    el_set(editor, EL_PROMPT, State::prompt_of);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_HIST, history, state_->history);
    el_set(editor, EL_ADDFN, "lanescope-complete", "Completes a word", State::on_tab);
    el_set(editor, EL_BIND, "^I", "lanescope-complete", nullptr);
    el_set(editor, EL_ADDFN, "lanescope-interrupt", "Drops the text", State::on_interrupt);
    el_set(editor, EL_BIND, "^C", "lanescope-interrupt", nullptr);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    // While a line is edited, Ctrl+C is a key like others.
    el_set(editor, EL_SETTY, "-d", "-isig", nullptr);
}

LineEditor::~LineEditor() {
    if (!state_->history_path.empty()) {
        std::error_code error;
        std::filesystem::create_directories(
            std::filesystem::path(state_->history_path).parent_path(), error);
        HistEvent event;
        history(state_->history, &event, H_SAVE, state_->history_path.c_str());
    }
    history_end(state_->history);
    el_end(state_->editor);
}

LineEnd LineEditor::read(const std::string& prompt, std::string& line) {
    state_->prompt = prompt;
    state_->interrupted = false;
    int count = 0;
    use_control_keys(false);
    const char* const text = el_gets(state_->editor, &count);
    use_control_keys(true);
    if (state_->interrupted) return LineEnd::interrupted;
    if (!text || count <= 0) return LineEnd::closed;
    line.assign(text, static_cast<std::size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos) {
        HistEvent event;
        history(state_->history, &event, H_ENTER, line.c_str());
    }
    return LineEnd::entered;
}

}  // namespace lanescope
