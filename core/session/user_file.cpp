#include "core/session/user_file.h"

#include <fmt/format.h>

#include "core/session/small_file.h"

namespace lanescope {

Result<std::optional<std::string>> read_user_file(const std::string& path, bool must_exist) {
    Result<std::optional<std::string>> text = read_small_file(path);
    if (!text) return Error{ErrorCode::io, Error::no_offset, path + ": " + text.error().text};
    if (!*text && must_exist)
        return Error{ErrorCode::io, Error::no_offset, path + ": no such file"};
    return text;
}

Error error_in_user_file(const std::string& path, const Error& error) {
    std::string text = path + ": " + error.text;
    if (error.byte_offset != Error::no_offset)
        text += fmt::format(" (at byte {})", error.byte_offset);
    return {ErrorCode::usage, Error::no_offset, text + ". Correct the file, or move it away."};
}

}  // namespace lanescope
