// The layout of panels in the user's configuration folder. A file that holds none is set aside
// under another name: it is the user's, and may be mended.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/shell/layout.h"

namespace lanescope {

struct LoadedLayout {
    std::optional<PanelLayout> layout;  // none: as default_layout()
    std::string message;                // what to tell the user; empty: nothing
    bool may_save = true;               // false: a broken file could not be set aside
};
LoadedLayout load_layout(const std::string& path, std::span<const std::string_view> panels);

// Writes beside the file and renames. Makes the folder when needed.
Result<void> save_layout(const PanelLayout& layout, const std::string& path);
// Back to default_layout(): no file.
void remove_layout(const std::string& path);

}  // namespace lanescope
