// Stores the layout of panels in the user's configuration folder. An invalid file is renamed,
// because the user may want to repair it.
#pragma once

#include <optional>
#include <string>

#include "ui/workspace/layout.h"

namespace lanescope {

struct LoadedLayout {
    std::optional<PanelLayout> layout;  // none: use default_layout()
    std::string message;                // a message for the user; empty: nothing to report
    bool may_save = true;               // false: an invalid file could not be renamed
};
// A layout of version 1, which had no groups, is kept as NAME.v1 and not used.
LoadedLayout load_layout(const std::string& path);

// Writes a temporary file and renames it. Creates the folder if necessary.
Result<void> save_layout(const PanelLayout& layout, const std::string& path);
// Returns to default_layout(): removes the file.
void remove_layout(const std::string& path);

}  // namespace lanescope
