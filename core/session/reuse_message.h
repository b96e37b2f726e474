// The message by which `lanescope --reuse` gives traces to a running window, and where their socket
// is. The window trusts nothing of a message: it holds only absolute paths of regular files, which
// are opened after the user has agreed in the window.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

inline constexpr std::size_t kMaxReuseBytes = std::size_t{64} << 10;  // of a message
inline constexpr std::size_t kMaxReusePaths = 64;

// Errors: too many or too long paths, or one that is not absolute.
Result<std::string> reuse_message(const std::vector<std::string>& paths);
// Errors: the bytes are not exactly what reuse_message() returns.
Result<std::vector<std::string>> parse_reuse_message(std::string_view bytes);

// Returns whether all paths of a message name regular files now. Other messages are refused.
bool are_files(const std::vector<std::string>& paths);

// $XDG_RUNTIME_DIR/lanescope/DISPLAY.sock, where DISPLAY stands for WAYLAND_DISPLAY or, without it,
// DISPLAY. Empty if the runtime folder is not set, belongs to another user than `user` or may be
// entered by others, if there is no display, or if the path is too long for a socket.
std::string reuse_socket_path(uid_t user);
// Creates the folder of the socket. False if it is not a folder of `user` alone.
bool make_reuse_folder(const std::string& socket_path, uid_t user);

}  // namespace lanescope
