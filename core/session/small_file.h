// Small files of the user's (settings, layout, notes): read whole, written beside and renamed, and
// never overwritten when they turn out to be broken.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

// The whole file; nothing when there is none. Errors: it is no regular file, or cannot be read.
Result<std::optional<std::string>> read_small_file(const std::string& path);

// Writes beside `path` and renames, so that a crash leaves the old one. Makes the folder when
// needed.
Result<void> write_small_file(const std::string& path, std::string_view text);

// Renames a broken file to the first free NAME.broken-N.EXT beside it; the new name without its
// folder. Errors: it cannot be renamed, so nothing may be written in its place.
Result<std::string> set_aside(const std::string& path);

}  // namespace lanescope
