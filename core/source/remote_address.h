// Addresses of traces on other machines: ssh://[USER@]HOST[:PORT]/PATH.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

struct RemoteAddress {
    std::string text;   // as the user wrote it
    std::string user;   // empty: what ssh's configuration says
    std::string host;   // a name, an alias of ssh's configuration, or an IP address without [ ]
    uint16_t port = 0;  // 0: what ssh's configuration says
    std::string path;   // decoded; relative to the login folder if it was written as /~/PATH
};

// Errors (usage): another scheme, a part that is missing, or characters that could change the
// meaning of a command. In USER, HOST and PATH, %XX is a byte; all other characters of the path
// stand for themselves, also ? and #.
Result<RemoteAddress> parse_remote_address(std::string_view text);

// Quotes a text so that a POSIX shell takes it as one word.
std::string quoted_for_shell(std::string_view text);

// The words of the ssh command that writes the file to its standard output.
std::vector<std::string> ssh_command(const RemoteAddress& address);

}  // namespace lanescope
