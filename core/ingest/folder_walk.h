// The files below a folder.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

struct FolderFiles {
    // Regular files, sorted. A file with several names, by hard or symbolic links, is there once:
    // by its first name that is no symbolic link, if there is one.
    std::vector<std::string> paths;
    std::vector<std::string> notes;  // sentences: what was not searched, and why
};

// Enters neither hidden folders nor links to folders, and skips hidden files. `most`: files that
// are looked at. Errors: the folder cannot be read, cancelled.
Result<FolderFiles> files_below(const std::string& folder, std::size_t most,
                                const std::atomic<bool>* cancel);

}  // namespace lanescope
