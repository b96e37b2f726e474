// Small user files (settings, layout, notes): read as a whole, written to a temporary file and
// renamed, and never overwritten if they are broken.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

// The whole file; empty if it does not exist. Errors: not a regular file, or cannot be read.
Result<std::optional<std::string>> read_small_file(const std::string& path);

// Writes as OutputFile does, so that a crash leaves the old file, and links and devices stay what
// they are. Creates the folder if necessary.
Result<void> write_small_file(const std::string& path, std::string_view text);

// Renames a broken file to the first free NAME.broken-N.EXT beside it; returns the new name without
// its folder. Errors: it cannot be renamed, so nothing may be written in its place.
Result<std::string> rename_broken(const std::string& path);

// Renames a file to the first free NAME.SUFFIX, NAME.SUFFIX-2, … beside it ("v1" for a file of an
// older version); returns the new path. Errors: it cannot be renamed, so nothing may be written in
// its place.
Result<std::string> rename_aside(const std::string& path, std::string_view suffix);

}  // namespace lanescope
