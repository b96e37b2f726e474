#include "core/session/small_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/base/output_file.h"
#include "core/base/rest_of_stream.h"

namespace lanescope {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxKeptFiles = 1000;

// The first free name beside `path`; empty if there is none.
fs::path free_name(const fs::path& path) {
    std::error_code code;
    for (int i = 1; i < kMaxKeptFiles; ++i) {
        fs::path name = path;
        name.replace_filename(path.stem().string() + ".broken-" + std::to_string(i) +
                              path.extension().string());
        if (fs::symlink_status(name, code).type() == fs::file_type::not_found) return name;
    }
    return {};
}

Error io_error(std::string text) {
    return {ErrorCode::io, Error::no_offset, std::move(text)};
}

}  // namespace

Result<std::optional<std::string>> read_small_file(const std::string& path) {
    std::error_code code;
    // symlink_status() returns file_type::none if the name is too long for the file system. No file
    // has such a name.
    const auto is_absent = [&] {
        const fs::file_type type = fs::symlink_status(path, code).type();
        return type == fs::file_type::not_found ||
               (type == fs::file_type::none && code == std::errc::filename_too_long);
    };
    if (path.empty() || is_absent()) return std::optional<std::string>();
    if (!fs::is_regular_file(path, code)) return io_error("it is not a file");
    std::ifstream file(path, std::ios::binary);
    std::optional<std::string> text = file.is_open() ? rest_of(file) : std::nullopt;
    if (!text) return io_error("it cannot be read");
    return text;
}

Result<void> write_small_file(const std::string& path, std::string_view text) {
    std::error_code code;
    fs::create_directories(fs::path(path).parent_path(), code);
    return write_output_file(path, text);
}

Result<std::string> rename_broken(const std::string& path) {
    const fs::path kept_as = free_name(path);
    std::error_code code;
    if (!kept_as.empty()) fs::rename(path, kept_as, code);
    if (kept_as.empty() || code) return io_error(path + ": cannot be renamed.");
    return kept_as.filename().string();
}

Result<std::string> rename_aside(const std::string& path, std::string_view suffix) {
    std::error_code code;
    for (int i = 1; i < kMaxKeptFiles; ++i) {
        const std::string name =
            path + "." + std::string(suffix) + (i > 1 ? "-" + std::to_string(i) : "");
        if (fs::symlink_status(name, code).type() != fs::file_type::not_found) continue;
        fs::rename(path, name, code);
        if (code) break;
        return name;
    }
    return io_error(path + ": cannot be renamed.");
}

}  // namespace lanescope
