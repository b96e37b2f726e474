// Reads the arguments of many events again, in one pass over the text of their file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/source/compressed.h"
#include "core/trace/trace.h"

namespace lanescope {

// As it stands in the file: texts without their quotes, escapes not resolved.
struct RawArgument {
    std::string_view name;
    std::string_view value;
    bool is_string = false;
    bool has_escapes = false;  // a JSON file's texts
};

// What the scan gives, for those who need it as an ArgumentReader gives it.
std::vector<Argument> resolved(std::span<const RawArgument> raw);

// Not thread-safe. Holds a few pieces of the text, however long that is.
class ArgumentScan {
  public:
    virtual ~ArgumentScan() = default;
    // Of the event whose text begins at `source`, which must not be before that of the last call.
    // None where there is no whole event. What it gives lives until the next call. Errors: the file
    // has changed, or cannot be read.
    virtual Result<std::span<const RawArgument>> read(uint64_t source) = 0;
    virtual uint64_t file_bytes_done() const = 0;
    virtual uint64_t file_bytes() const = 0;
};

// Null when the trace has no file to read again, or is not loaded whole.
std::unique_ptr<ArgumentScan> open_argument_scan(const TracePtr& trace);

std::unique_ptr<ArgumentScan> make_json_argument_scan(std::shared_ptr<InputFile> file,
                                                      Compression compression);

}  // namespace lanescope
