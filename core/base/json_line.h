// Texts of JSON values: on one line, as programs write them that do not indent, and their nesting.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

// Returns a JSON value without line breaks and blanks between its parts, and with one blank after
// each comma and colon, as PyTorch writes lists. Equal values of an indented file and of a compact
// file have the same text then. Strings do not change.
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

// Returns whether a value is spread over several lines.
inline bool has_line_breaks(std::string_view json) {
    return json.find('\n') != std::string_view::npos;
}

// Returns whether lists and objects are nested so deeply that code which descends into them could
// run out of stack. Callers treat a deeply nested value as a text. No profiler writes one.
inline bool is_nested_deeply(std::string_view json) {
    constexpr int kDeepest = 100;
    int depth = 0;
    bool quoted = false;
    bool escaped = false;
    for (const char c : json) {
        if (c == '"' && !escaped) quoted = !quoted;
        escaped = c == '\\' && !escaped;
        if (quoted) continue;
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (depth > kDeepest) return true;
    }
    return false;
}

}  // namespace lanescope
