// A text that is written to a file piece by piece: whole in the end, or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

class TextFile {
  public:
    // Compressed where the name ends in .gz or .zst. The file appears at `path` with finish();
    // until then, and for good when that is not called, there is what was there before. Errors:
    // cannot be made.
    static Result<std::unique_ptr<TextFile>> create(const std::string& path);
    virtual ~TextFile() = default;

    virtual Result<void> write(std::string_view text) = 0;
    virtual Result<void> finish() = 0;
};

}  // namespace lanescope
