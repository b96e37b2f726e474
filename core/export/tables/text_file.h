// Writes a text piece by piece, compressed if the file's name asks for it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/output_file.h"
#include "core/base/result.h"

namespace lanescope {

class TextFile {
  public:
    // Compresses if the name ends in .gz or .zst; then the output is binary. Where it is written,
    // and when it appears: see OutputFile. Errors: those of OutputFile::open().
    static Result<std::unique_ptr<TextFile>> create(const std::string& path,
                                                    OutputRules rules = {});
    // The same for bytes that are compressed already.
    static Result<std::unique_ptr<TextFile>> create_as_is(const std::string& path,
                                                          const OutputRules& rules);
    virtual ~TextFile() = default;

    virtual Result<void> write(std::string_view text) = 0;
    virtual Result<void> finish() = 0;
    // See OutputFile.
    virtual const std::string& remark() const = 0;
};

// Whether TextFile compresses a file of this name.
bool is_compressed_name(std::string_view path);

}  // namespace lanescope
