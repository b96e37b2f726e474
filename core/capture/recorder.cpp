#include "core/capture/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/capture/spool/spool_recording.h"

namespace lanescope {

namespace {

Error system_failed(const std::string& what, int code) {
    return {ErrorCode::io, Error::no_offset, fmt::format("{}: {}", what, std::strerror(code))};
}

bool is_setting(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    const std::string_view name = word.substr(0, equals);
    return name.find_first_not_of(
               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") ==
           std::string_view::npos;
}

std::vector<std::string> words_of(const std::string& program, const RecorderStart& start) {
    std::string name;  // percent signs are no placeholders here
    for (const char c : start.file) name.append(c == '%' ? 2 : 1, c);
    std::vector<std::string> words = {program, "record", "-o", name};
    if (start.duration > 0)
        words.insert(words.end(), {"--duration", fmt::format("{}ns", start.duration)});
    if (start.ring > 0) words.insert(words.end(), {"--ring", fmt::format("{}ns", start.ring)});
    if (start.samples) words.emplace_back("--sample");
    if (start.torch_profiler) words.emplace_back("--no-cuda");
    words.emplace_back("--");
    if (start.torch_profiler || is_setting(start.command.front())) words.emplace_back("env");
    if (start.torch_profiler) words.emplace_back("KINETO_USE_DAEMON=1");
    words.insert(words.end(), start.command.begin(), start.command.end());
    return words;
}

// Runs in the child; reports errors through the pipe.
[[noreturn]] void become(const RecorderStart& start, std::vector<char*>& words, int log,
                         int report) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool ready = setpgid(0, 0) == 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
                       dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0 &&
                       chdir(start.folder.c_str()) == 0;
    if (ready) execv(words[0], words.data());
    const int why = errno;
    const ssize_t put = write(report, &why, sizeof why);
    _exit(put < 0 ? 126 : 127);
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view text) {
    std::vector<std::string> words;
    bool in_word = false;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
            in_word = false;
            continue;
        }
        if (!std::exchange(in_word, true)) words.emplace_back();
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            words.back() += text[++i];
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == quote && quote != 0) {
            quote = 0;
        } else {
            words.back() += c;
        }
    }
    if (quote != 0)
        return Error{ErrorCode::usage, text.size(),
                     fmt::format("A quote {} is not closed.", quote)};
    if (words.empty() || words.front().empty())
        return Error{ErrorCode::usage, 0, "There is no program to run."};
    return words;
}

bool runs_python(const std::vector<std::string>& command) {
    const auto program = std::ranges::find_if_not(command, is_setting);
    if (program == command.end()) return false;
    const std::string_view name = std::string_view(*program).substr(program->rfind('/') + 1);
    return name.starts_with("python") || name.ends_with(".py") || name == "torchrun";
}

std::string recording_log(const std::string& file) {
    return file + (file.ends_with(".spool") ? ".log" : ".spool.log");
}

Recorder::Recorder(std::string file, std::string log_file, pid_t pid)
    : file_(std::move(file)), log_file_(std::move(log_file)), pid_(pid) {}

Result<std::unique_ptr<Recorder>> Recorder::start(const std::string& program,
                                                  const RecorderStart& start) {
    if (access(program.c_str(), X_OK) != 0) return system_failed(program, errno);
    struct stat info = {};
    if (stat(start.folder.c_str(), &info) != 0) return system_failed(start.folder, errno);
    if (!S_ISDIR(info.st_mode)) return system_failed(start.folder, ENOTDIR);
    // Removes an earlier recording of this name, so that it is not opened by mistake.
    if (auto removed = remove_earlier_recording(start.file); !removed) return removed.error();
    const std::string log_file = recording_log(start.file);
    const int log = open(log_file.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (log < 0) return system_failed(log_file, errno);
    int report[2] = {-1, -1};
    if (pipe2(report, O_CLOEXEC) != 0) {
        close(log);
        return system_failed("a pipe cannot be created", errno);
    }
    std::vector<std::string> texts = words_of(program, start);
    std::vector<char*> words;
    words.reserve(texts.size() + 1);
    for (std::string& text : texts) words.push_back(text.data());
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) become(start, words, log, report[1]);
    const int fork_failed = child < 0 ? errno : 0;
    close(log);
    close(report[1]);
    int why = 0;
    const ssize_t got = child < 0 ? 0 : read(report[0], &why, sizeof why);
    close(report[0]);
    if (child < 0) return system_failed("a process cannot be started", fork_failed);
    std::unique_ptr<Recorder> recorder(new Recorder(start.file, log_file, child));
    if (got == sizeof why) {
        waitpid(child, nullptr, 0);
        return system_failed(program, why);
    }
    return recorder;
}

std::optional<int> Recorder::ended() {
    int status = 0;
    if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_)
        status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return status_;
}

void Recorder::end_program() const {
    if (!status_) kill(pid_, SIGTERM);
}

std::string Recorder::first_line() const {
    std::ifstream in(log_file_, std::ios::binary);
    std::string line(4096, '\0');
    in.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<std::size_t>(in.gcount()));
    return line.substr(0, line.find('\n'));
}

}  // namespace lanescope
