#include "core/base/output_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

namespace lanescope {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxLinks = 40;  // as in the kernel

std::optional<int> number_in(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
    return whole ? std::optional(number) : std::nullopt;
}

// A path of the form /proc/PROCESS/fd/N or /proc/PROCESS/task/THREAD/fd/N.
struct DescriptorPath {
    int process = 0;
    int descriptor = 0;
};

std::optional<DescriptorPath> descriptor_path(const fs::path& path) {
    std::vector<std::string> words;
    for (const fs::path& word : path) words.push_back(word.string());
    if (words.size() != 5 && words.size() != 7) return std::nullopt;
    if (words[1] != "proc" || words[words.size() - 2] != "fd") return std::nullopt;
    const std::optional<int> process = number_in(words[2]);
    const std::optional<int> descriptor = number_in(words.back());
    if (!process || !descriptor) return std::nullopt;
    return DescriptorPath{*process, *descriptor};
}

// The path with every link resolved except the last name.
fs::path with_real_folder(const fs::path& path) {
    std::error_code code;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const fs::path real = fs::canonical(folder, code);
    return code ? path : real / path.filename();
}

Error output_error(const std::string& path, int reason) {
    return {ErrorCode::io, Error::no_offset,
            fmt::format("{}: cannot be written: {}", path, std::strerror(reason))};
}

Result<OutputTarget> open_descriptor(const std::string& path, int descriptor) {
    OutputTarget target;
    target.kind = OutputTarget::Kind::descriptor;
    target.descriptor = descriptor;
    target.path = path;
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return output_error(path, EBADF);
    if (fstat(descriptor, &target.facts) != 0) return output_error(path, errno);
    return target;
}

// Only files and block devices keep what is written to them.
bool keeps_bytes(const struct stat& facts) {
    return S_ISREG(facts.st_mode) || S_ISBLK(facts.st_mode);
}

bool is_same(const struct stat& a, const struct stat& b) {
    if (S_ISBLK(a.st_mode) && S_ISBLK(b.st_mode) && a.st_rdev == b.st_rdev) return true;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

Result<OutputTarget> find_output(const std::string& path) {
    if (path == "-" || path == "/dev/stdout") return open_descriptor(path, STDOUT_FILENO);
    if (path == "/dev/stderr") return open_descriptor(path, STDERR_FILENO);
    OutputTarget target;
    fs::path at = path;
    for (int links = 0;; ++links) {
        if (links == kMaxLinks) return output_error(path, ELOOP);
        at = with_real_folder(at);
        if (const auto found = descriptor_path(at)) {
            if (found->process == getpid()) return open_descriptor(path, found->descriptor);
            target.foreign = true;
            break;
        }
        std::error_code code;
        const fs::path link = fs::read_symlink(at, code);
        if (code) break;
        at = link.is_absolute() ? link : at.parent_path() / link;
    }
    target.path = at.string();
    if (stat(path.c_str(), &target.facts) != 0) {
        if (errno != ENOENT) return output_error(path, errno);
        return target;
    }
    if (S_ISDIR(target.facts.st_mode)) return output_error(path, EISDIR);
    const bool is_file = S_ISREG(target.facts.st_mode) && !target.foreign;
    target.kind = is_file ? OutputTarget::Kind::file : OutputTarget::Kind::other;
    return target;
}

std::string input_at(const OutputTarget& target, const std::vector<std::string>& inputs) {
    if (target.kind == OutputTarget::Kind::new_file || !keeps_bytes(target.facts)) return {};
    const auto same = std::ranges::find_if(inputs, [&](const std::string& input) {
        struct stat facts = {};
        const int failed = input == "-" ? fstat(STDIN_FILENO, &facts) : stat(input.c_str(), &facts);
        return failed == 0 && is_same(facts, target.facts);
    });
    if (same == inputs.end()) return {};
    return *same == "-" ? "standard input" : *same;
}

bool is_terminal(const OutputTarget& target) {
    if (target.kind == OutputTarget::Kind::descriptor) return isatty(target.descriptor) == 1;
    if (target.kind != OutputTarget::Kind::other || !S_ISCHR(target.facts.st_mode)) return false;
    const int fd = open(target.path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool terminal = fd >= 0 && isatty(fd) == 1;
    if (fd >= 0) close(fd);
    return terminal;
}

}  // namespace lanescope
