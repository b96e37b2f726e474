// JSON on one line, as programs write it that do not indent.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// A JSON value without the line breaks and blanks between its parts, and with one blank behind each
// comma and colon, as PyTorch writes lists: equal values of an indented and of a compact file have
// the same text. Strings stay as they are.
inline std::string json_on_one_line(std::string_view json) {
    std::string line;
    line.reserve(json.size());
    bool quoted = false;
    bool escaped = false;
    for (const char c : json) {
        if (c == '"' && !escaped) quoted = !quoted;
        escaped = c == '\\' && !escaped;
        if (!quoted && (c == '\n' || c == '\r' || c == '\t' || c == ' ')) continue;
        line += c;
        if (!quoted && (c == ',' || c == ':')) line += ' ';
    }
    return line;
}

// Whether a value is spread over several lines.
inline bool has_line_breaks(std::string_view json) {
    return json.find('\n') != std::string_view::npos;
}

}  // namespace lanescope
