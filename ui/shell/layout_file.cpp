#include "ui/shell/layout_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace lanescope {

namespace fs = std::filesystem;

namespace {

constexpr int kMostAside = 1000;

// The first name beside `path` that is free.
std::string free_name(const fs::path& path) {
    std::error_code code;
    for (int i = 1; i < kMostAside; ++i) {
        fs::path name = path;
        name.replace_filename(path.stem().string() + ".broken-" + std::to_string(i) +
                              path.extension().string());
        if (fs::symlink_status(name, code).type() == fs::file_type::not_found) return name.string();
    }
    return {};
}

LoadedLayout set_aside(const std::string& path, const std::string& why) {
    LoadedLayout loaded;
    const std::string aside = free_name(path);
    std::error_code code;
    if (!aside.empty()) fs::rename(path, aside, code);
    loaded.may_save = !aside.empty() && !code;
    const std::string wrong = path + " is broken (" + why + "). ";
    loaded.message =
        wrong + (loaded.may_save ? "It is kept as " + fs::path(aside).filename().string() +
                                       "; the panels stand where they do at first."
                                 : "It cannot be set aside, so the layout is not saved.");
    return loaded;
}

}  // namespace

LoadedLayout load_layout(const std::string& path, std::span<const std::string_view> panels) {
    std::error_code code;
    if (path.empty() || fs::symlink_status(path, code).type() == fs::file_type::not_found)
        return {};
    if (!fs::is_regular_file(path, code)) return set_aside(path, "it is no file");
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open() || file.bad()) return set_aside(path, "it cannot be read");
    auto layout = parse_layout(text, panels);
    if (!layout) return set_aside(path, layout.error().text);
    LoadedLayout loaded;
    loaded.layout = std::move(*layout);
    return loaded;
}

Result<void> save_layout(const PanelLayout& layout, const std::string& path) {
    std::error_code code;
    fs::create_directories(fs::path(path).parent_path(), code);
    const std::string beside = path + ".new";
    {
        std::ofstream file(beside, std::ios::trunc);
        file << layout_text(layout);
        if (!file.flush())
            return Error{ErrorCode::io, Error::no_offset, beside + ": cannot be written."};
    }
    fs::rename(beside, path, code);
    if (code) return Error{ErrorCode::io, Error::no_offset, path + ": " + code.message()};
    return {};
}

void remove_layout(const std::string& path) {
    std::error_code code;
    fs::remove(path, code);
}

}  // namespace lanescope
