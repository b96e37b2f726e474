#include "ui/platform/editor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

namespace lanescope {

namespace {

std::string_view program_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_among(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        if (!word.empty()) words.emplace_back(word);
        text.remove_prefix(std::min(text.size(), word.size() + 1));
    }
    return words;
}

Error not_opened(std::string text) {
    return {ErrorCode::io, Error::no_offset, std::move(text)};
}

}  // namespace

std::vector<std::string> editor_words(std::string_view visual, const std::string& file,
                                      int64_t line) {
    constexpr std::array<std::string_view, 8> in_terminal = {"vi",    "vim", "nvim",  "nano",
                                                             "micro", "hx",  "helix", "ed"};
    constexpr std::array<std::string_view, 6> like_code = {"code",   "code-insiders", "codium",
                                                           "cursor", "windsurf",      "positron"};
    constexpr std::array<std::string_view, 4> with_colon = {"subl", "zed", "zeditor", "atom"};
    constexpr std::array<std::string_view, 2> with_option = {"kate", "kwrite"};
    std::vector<std::string> words = split_words(visual);
    if (words.empty() || is_among(program_name(words.front()), in_terminal)) words = {"code"};
    const std::string name(program_name(words.front()));
    const std::string place = fmt::format("{}:{}", file, line);
    if (is_among(name, like_code)) {
        words.emplace_back("-g");
        words.push_back(place);
    } else if (is_among(name, with_colon)) {
        words.push_back(place);
    } else if (is_among(name, with_option)) {
        words.insert(words.end(), {"--line", std::to_string(line), file});
    } else {
        words.insert(words.end(), {fmt::format("+{}", line), file});  // gvim, emacs, gedit
    }
    return words;
}

Result<std::string> open_in_editor(const std::string& file, int64_t line) {
    std::error_code unknown;
    if (!file.starts_with('/') || !std::filesystem::is_regular_file(file, unknown))
        return not_opened(fmt::format("{} is not on this machine", file));
    const char* const visual = std::getenv("VISUAL");
    std::vector<std::string> words = editor_words(visual ? visual : "", file, line);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed =
        posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        return not_opened(
            fmt::format("{} cannot be started: set VISUAL to an editor with a window of its own",
                        words.front()));
    std::thread([child] {
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }).detach();
    return std::string(program_name(words.front()));
}

}  // namespace lanescope
