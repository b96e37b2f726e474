// Writes what a command or the window produces, without destroying an input, a device or a link.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/output_target.h"
#include "core/base/result.h"

namespace lanescope {

struct OutputRules {
    std::vector<std::string> inputs;  // files that must not change; "-": standard input
    bool binary = false;              // not for terminals
    // Existing files of any content are replaced: the user agreed. Otherwise only empty ones, and
    // those that `is_ours` recognises.
    bool replaces = true;
    std::function<bool(const std::string& path)> is_ours;
};

// Whether the path can be written by these rules; creates nothing. For commands that work for a
// long time before they write.
Result<void> check_output(const std::string& path, const OutputRules& rules);

// A regular file is written as a temporary file beside it and then renamed, so it is complete or
// unchanged; its mode is kept, and symbolic links to it are followed. Where the folder allows no
// other file or no renaming, the contents are copied into the existing file. Anything else is
// opened and written to.
class OutputFile {
  public:
    static Result<std::unique_ptr<OutputFile>> open(const std::string& path,
                                                    const OutputRules& rules = {});
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    Result<void> write(std::string_view bytes);
    // Without it, a regular file is unchanged.
    Result<void> finish();
    // A sentence for the user after finish(), if the file was written in place; empty: nothing to
    // report.
    const std::string& remark() const { return remark_; }

  private:
    OutputFile(std::string path, OutputTarget target)
        : path_(std::move(path)), target_(std::move(target)) {}
    Result<void> open_target();
    Result<void> open_temporary();
    Result<void> copy_in_place(int reason);
    Error error(int reason) const;

    std::string path_;  // as the user named it
    OutputTarget target_;
    int fd_ = -1;
    std::string temporary_;   // beside the target; empty: none
    int refused_beside_ = 0;  // errno of a folder that allows no temporary file
    std::string remark_;
};

// All of a file at once.
Result<void> write_output_file(const std::string& path, std::string_view bytes,
                               const OutputRules& rules = {});

}  // namespace lanescope
