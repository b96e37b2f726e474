#include "core/source/remote_copy.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <string_view>

#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/source/child_output.h"
#include "core/source/unnamed_file.h"

namespace lanescope {

namespace {

constexpr int kSshFailed = 255;  // the exit status of ssh for its own errors
constexpr int kCannotRunRemote = 126;
constexpr int kNotFoundRemote = 127;
constexpr std::size_t kLongestLine = 300;

// The last line of what ssh or cat said, which names the cause.
std::string last_line(std::string_view said) {
    while (!said.empty() && (said.back() == '\n' || said.back() == '\r' || said.back() == ' '))
        said.remove_suffix(1);
    const std::size_t before = said.rfind('\n');
    if (before != std::string_view::npos) said.remove_prefix(before + 1);
    std::string line(utf8_beginning(said, kLongestLine));
    std::erase(line, '\r');
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
    return line;
}

std::string of_ssh(const RemoteAddress& address, const std::string& cause, uint64_t bytes) {
    const std::string because = cause.empty() ? "" : ": " + cause;
    if (bytes == 0) return fmt::format("ssh cannot connect to {}{}", address.host, because);
    return fmt::format("the connection to {} ended after {}{}", address.host,
                       format_bytes(static_cast<int64_t>(bytes)), because);
}

std::string of_cat(const RemoteAddress& address, const std::string& cause, int status) {
    const auto says = [&](std::string_view words) {
        return cause.find(words) != std::string::npos;
    };
    const std::string& host = address.host;
    if (status == kNotFoundRemote || status == kCannotRunRemote)
        return fmt::format("{} cannot run the program cat: {}", host, cause);
    if (says("No such file")) return fmt::format("there is no file {} on {}", address.path, host);
    if (says("Is a directory"))
        return fmt::format("{} is a folder on {}; name a trace file in it", address.path, host);
    if (says("Permission denied"))
        return fmt::format("{} may not be read by this user of {}", address.path, host);
    return fmt::format("{} cannot be read on {} (status {}){}{}", address.path, host, status,
                       cause.empty() ? "" : ": ", cause);
}

std::string failure_of(const RemoteAddress& address, const ChildEnd& end, uint64_t bytes) {
    const std::string cause = last_line(end.said);
    if (WIFSIGNALED(end.status))
        return fmt::format("ssh to {} was ended by signal {}", address.host, WTERMSIG(end.status));
    const int status = WEXITSTATUS(end.status);
    return status == kSshFailed ? of_ssh(address, cause, bytes) : of_cat(address, cause, status);
}

Error with_address(const RemoteAddress& address, Error error) {
    error.text = fmt::format("{}: {}", address.text, error.text);
    return error;
}

}  // namespace

Result<std::shared_ptr<InputFile>> copy_remote(const RemoteAddress& address,
                                               const RemoteCopyOptions& options) {
    Result<std::unique_ptr<UnnamedFile>> copy = UnnamedFile::create(
        options.folder.empty() ? temporary_folder() : options.folder, options.free_bytes);
    if (!copy) return with_address(address, copy.error());
    UnnamedFile& file = **copy;
    const auto keep = [&](std::string_view bytes) {
        Result<void> kept = file.append(bytes);
        if (options.bytes_done) options.bytes_done->store(file.size());
        return kept;
    };
    const Result<ChildEnd> end = read_child(ssh_command(address), keep, options.cancel);
    if (!end) {
        if (end.error().code == ErrorCode::cancelled)
            return Error{ErrorCode::cancelled, Error::no_offset,
                         fmt::format("{}: copying was cancelled", address.text)};
        if (end.error().code == ErrorCode::unsupported)
            return Error{ErrorCode::io, Error::no_offset,
                         fmt::format("{}: there is no program ssh, which Lanescope uses to reach "
                                     "{}; install it (Debian: openssh-client)",
                                     address.text, address.host)};
        return with_address(address, end.error());
    }
    if (end->status != 0)
        return with_address(
            address, {ErrorCode::io, Error::no_offset, failure_of(address, *end, file.size())});
    return InputFile::of_descriptor(address.text, file.release());
}

}  // namespace lanescope
