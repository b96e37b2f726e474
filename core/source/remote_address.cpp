#include "core/source/remote_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/url.h"
#include "core/base/utf8.h"

namespace lanescope {

namespace {

constexpr std::string_view kSsh = "ssh://";
// sshd and the kernel limit a command; no file system has longer paths.
constexpr std::size_t kMaxAddress = 4096;

bool is_letter_or_digit(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// ssh passes user and host to commands of the user's configuration (ProxyCommand, Match exec),
// which a shell runs. Bytes from 0x80 on are part of other alphabets.
bool only_has(std::string_view text, std::string_view marks) {
    return std::ranges::all_of(text, [&](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || is_letter_or_digit(byte) || marks.find(c) != std::string_view::npos;
    });
}

// Control characters of ASCII, and U+0080 to U+009F in UTF-8.
bool has_control(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7F) return true;
        if (byte != 0xC2 || i + 1 == text.size()) continue;
        if (static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    }
    return false;
}

// The address as far as it can be printed.
std::string shown(std::string_view text) {
    std::string line(utf8_beginning(text, 200));
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
    return line;
}

Error wrong_address(std::string_view text, const std::string& why) {
    return {ErrorCode::usage, Error::no_offset, fmt::format("{}: {}", shown(text), why)};
}

Error wrong_scheme(std::string_view text) {
    const std::string scheme = url_scheme(text);
    if (scheme == "http" || scheme == "https" || scheme == "s3")
        return wrong_address(
            text,
            fmt::format("{}:// is read only by the Python package (lanescope.open); this program "
                        "reads files and ssh://HOST/PATH",
                        scheme));
    if (scheme == "file") return wrong_address(text, "write the path of the file, without file://");
    return wrong_address(
        text,
        fmt::format("{}:// is not read; this program reads files and ssh://HOST/PATH", scheme));
}

// The parts of an address: [USER@]HOST[:PORT], and /PATH.
struct SplitAddress {
    std::string_view user, host, port, path;
    bool has_user = false, has_port = false;
};

SplitAddress split_address(std::string_view rest) {
    SplitAddress parts;
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    parts.path = rest.substr(slash);
    std::string_view place = rest.substr(0, slash);
    if (const std::size_t at = place.rfind('@'); at != std::string_view::npos) {
        parts.has_user = true;
        parts.user = place.substr(0, at);
        place.remove_prefix(at + 1);
    }
    // Colons inside of brackets belong to an IPv6 address.
    const std::size_t closing = place.starts_with('[') ? place.find(']') : std::string_view::npos;
    const std::size_t colon = place.find(':', closing == std::string_view::npos ? 0 : closing);
    parts.host = place.substr(0, colon);
    parts.has_port = colon != std::string_view::npos;
    if (parts.has_port) parts.port = place.substr(colon + 1);
    if (closing != std::string_view::npos && parts.host.ends_with(']'))
        parts.host = parts.host.substr(1, parts.host.size() - 2);
    return parts;
}

std::string problem_of_user(const SplitAddress& parts, const RemoteAddress& address) {
    if (!parts.has_user) return {};
    if (address.user.empty()) return "there is no user before @";
    if (address.user.find(':') != std::string::npos)
        return "a password does not belong in an address; ssh asks for it";
    if (address.user.front() == '-') return "a user cannot begin with -";
    if (!only_has(address.user, "._-+@\\") || address.user.ends_with('\\'))
        return "the user has characters that users do not have";
    return {};
}

std::string problem_of_host(const RemoteAddress& address) {
    if (address.host.empty()) return "there is no host; write ssh://HOST/PATH";
    if (address.host.front() == '-') return "a host cannot begin with -";
    if (!only_has(address.host, "._-:%")) return "the host has characters that hosts do not have";
    return {};
}

std::string problem_of_path(const RemoteAddress& address) {
    if (address.path.empty()) return "there is no path; write ssh://HOST/PATH";
    if (address.path.ends_with('/')) return "the path is a folder; name a trace file in it";
    return {};
}

}  // namespace

Result<RemoteAddress> parse_remote_address(std::string_view text) {
    if (url_scheme(text) != "ssh") return wrong_scheme(text);
    if (text.size() > kMaxAddress) return wrong_address(text, "the address is too long");
    const SplitAddress parts = split_address(text.substr(kSsh.size()));
    RemoteAddress address;
    address.text = text;
    for (const auto& [from, to] :
         {std::pair(parts.user, &address.user), std::pair(parts.host, &address.host),
          std::pair(parts.path, &address.path)}) {
        const Result<std::string> decoded = percent_decoded(from);
        if (!decoded) return wrong_address(text, decoded.error().text);
        if (has_control(*decoded))
            return wrong_address(text, "control characters and line breaks are not allowed");
        *to = *decoded;
    }
    if (parts.has_port) {
        const char* const end = parts.port.data() + parts.port.size();
        const auto [stop, error] = std::from_chars(parts.port.data(), end, address.port);
        if (error != std::errc() || stop != end || address.port == 0)
            return wrong_address(text, "the port is not a number from 1 to 65535");
    }
    if (address.path.starts_with("/~/")) address.path.erase(0, 3);
    for (const std::string& problem :
         {problem_of_user(parts, address), problem_of_host(address), problem_of_path(address)})
        if (!problem.empty()) return wrong_address(text, problem);
    return address;
}

std::string quoted_for_shell(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

std::vector<std::string> ssh_command(const RemoteAddress& address) {
    std::vector<std::string> words = {"ssh", "-o", "BatchMode=no"};
    if (address.port != 0) words.insert(words.end(), {"-p", std::to_string(address.port)});
    words.emplace_back("--");
    words.push_back(address.user.empty() ? address.host : address.user + "@" + address.host);
    words.insert(words.end(), {"cat", "--", quoted_for_shell(address.path)});
    return words;
}

}  // namespace lanescope
