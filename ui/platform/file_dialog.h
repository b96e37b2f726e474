// A file dialog of our own, so that it works equally on every desktop, and without one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/look/theme.h"

namespace lanescope {

struct FolderEntry {
    std::string name;
    bool is_folder = false;
    uint64_t bytes = 0;
};

// Folders first, then files that may be traces by extension (all files with `every_file`), sorted
// by name, without hidden ones. Empty if the folder cannot be read.
std::vector<FolderEntry> list_folder(const std::string& folder, bool every_file);

class FileDialog {
  public:
    // Opens in the next frame, in `folder` (empty: the current one).
    void show(const std::string& folder);
    bool shown() const { return shown_; }
    // Draws it; returns the chosen file's path, or a typed URL, once.
    std::optional<std::string> draw(const Look& look);
    // Opens it again with what was typed, and says why that cannot be opened.
    void refuse(std::string problem);

  private:
    void enter(const std::string& folder);
    std::optional<std::string> draw_entries(const Look& look);

    bool wanted_ = false;
    bool shown_ = false;
    bool every_file_ = false;
    std::string folder_;
    std::string typed_;
    std::string problem_;  // with what was typed; empty: none
    std::vector<FolderEntry> entries_;
    int chosen_ = -1;
};

}  // namespace lanescope
