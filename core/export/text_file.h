// Writes a text to a file piece by piece. The file appears either complete or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

class TextFile {
  public:
    // Compresses if the name ends in .gz or .zst. The file appears at `path` with finish(); until
    // then, or if finish() is never called, an existing file stays unchanged. Errors: the file
    // cannot be created.
    static Result<std::unique_ptr<TextFile>> create(const std::string& path);
    virtual ~TextFile() = default;

    virtual Result<void> write(std::string_view text) = 0;
    virtual Result<void> finish() = 0;
};

}  // namespace lanescope
