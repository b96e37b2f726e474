#include "core/session/reuse_message.h"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>

namespace lanescope {

namespace {

constexpr std::string_view kReuseMagic{"lanescope open 1\0", 17};
constexpr mode_t kOthers = 0077;

Error no_message(const char* why) {
    return {ErrorCode::usage, Error::no_offset, why};
}

bool is_own_folder(const std::string& path, uid_t user) {
    struct stat facts = {};
    return lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == user &&
           (facts.st_mode & kOthers) == 0;
}

std::string environment_value(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

// "wayland-1" or "x-:0"; empty without a display. Screens of one X server are one display.
std::string display_here() {
    if (const std::string wayland = environment_value("WAYLAND_DISPLAY"); !wayland.empty())
        return "w-" + wayland;
    std::string display = environment_value("DISPLAY");
    if (display.empty()) return {};
    const std::size_t screen = display.rfind('.');
    const std::size_t colon = display.rfind(':');
    if (screen != std::string::npos && colon != std::string::npos && screen > colon)
        display.erase(screen);
    return "x-" + display;
}

// Turns a text into a file name: every byte but letters, digits and "-" becomes =XX.
std::string as_file_name(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string name;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
        if (plain)
            name += c;
        else
            name += {'=', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return name;
}

}  // namespace

Result<std::string> reuse_message(const std::vector<std::string>& paths) {
    if (paths.empty() || paths.size() > kMaxReusePaths) return no_message("too many paths");
    std::string bytes(kReuseMagic);
    for (const std::string& path : paths) {
        if (!path.starts_with('/') || path.find('\0') != std::string::npos)
            return no_message("a path is not absolute");
        if (path.size() >= PATH_MAX) return no_message("a path is too long");
        bytes += path;
        bytes += '\0';
    }
    if (bytes.size() > kMaxReuseBytes) return no_message("the paths are too long");
    return bytes;
}

Result<std::vector<std::string>> parse_reuse_message(std::string_view bytes) {
    if (bytes.size() > kMaxReuseBytes) return no_message("the message is too long");
    if (!bytes.starts_with(kReuseMagic) || !bytes.ends_with('\0'))
        return no_message("this is not a message");
    bytes.remove_prefix(kReuseMagic.size());
    std::vector<std::string> paths;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\0');
        const std::string_view path = bytes.substr(0, end);
        if (paths.size() == kMaxReusePaths) return no_message("too many paths");
        if (!path.starts_with('/')) return no_message("a path is not absolute");
        if (path.size() >= PATH_MAX) return no_message("a path is too long");
        paths.emplace_back(path);
        bytes.remove_prefix(end + 1);
    }
    if (paths.empty()) return no_message("there is no path");
    return paths;
}

bool are_files(const std::vector<std::string>& paths) {
    std::error_code code;
    return std::ranges::all_of(paths, [&](const std::string& path) {
        return std::filesystem::is_regular_file(path, code);
    });
}

std::string reuse_socket_path(uid_t user) {
    const std::string runtime = environment_value("XDG_RUNTIME_DIR");
    const std::string display = display_here();
    if (!runtime.starts_with('/') || display.empty() || !is_own_folder(runtime, user)) return {};
    const std::string path = runtime + "/lanescope/" + as_file_name(display) + ".sock";
    // A new socket has a longer name until it is complete: the process's number is added.
    constexpr std::size_t kForNumber = 12;
    return path.size() + kForNumber < sizeof(sockaddr_un::sun_path) ? path : std::string();
}

bool make_reuse_folder(const std::string& socket_path, uid_t user) {
    const std::string folder = std::filesystem::path(socket_path).parent_path().string();
    mkdir(folder.c_str(), 0700);  // it may exist already
    return is_own_folder(folder, user);
}

}  // namespace lanescope
