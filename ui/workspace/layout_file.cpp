#include "ui/workspace/layout_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/session/small_file.h"

namespace lanescope {

namespace {

LoadedLayout broken(const std::string& path, const std::string& why) {
    LoadedLayout loaded;
    const Result<std::string> kept_as = rename_broken(path);
    loaded.may_save = static_cast<bool>(kept_as);
    loaded.message =
        path + " is broken (" + why + "). " +
        (kept_as ? "It is kept as " + *kept_as + "; the panels have their default layout."
                 : "It cannot be renamed, so the layout is not saved.");
    return loaded;
}

LoadedLayout kept_old(const std::string& path) {
    LoadedLayout loaded;
    const Result<std::string> kept_as = rename_aside(path, "v1");
    loaded.may_save = static_cast<bool>(kept_as);
    loaded.message =
        "Panels are in groups now, in their default layout. " +
        (kept_as
             ? "Your layout of the older version is kept as " + *kept_as + "."
             : path + " is of an older version and cannot be renamed, so the layout is not saved.");
    return loaded;
}

}  // namespace

LoadedLayout load_layout(const std::string& path) {
    const Result<std::optional<std::string>> text = read_small_file(path);
    if (!text) return broken(path, text.error().text);
    if (!*text) return {};
    if (is_old_layout(**text)) return kept_old(path);
    auto layout = parse_layout(**text);
    if (!layout) return broken(path, layout.error().text);
    LoadedLayout loaded;
    loaded.layout = std::move(*layout);
    return loaded;
}

Result<void> save_layout(const PanelLayout& layout, const std::string& path) {
    return write_small_file(path, layout_text(layout));
}

void remove_layout(const std::string& path) {
    std::error_code code;
    std::filesystem::remove(path, code);
}

}  // namespace lanescope
