// Opens the files of code that a sampled process has mapped.
#pragma once

#include <string>

#include "core/capture/sampling/code_map.h"

namespace lanescope {

// The paths under which the file of an image may be found: as the image's process sees it, then as
// this process does. Both are empty if the image is not a file.
struct CodePaths {
    std::string in_process, here;
};
CodePaths code_paths(const CodeImage& image);

// Opens a regular file for reading; -1 for anything else that a program has mapped, since opening
// it might block.
int open_code_file(const std::string& path);

}  // namespace lanescope
