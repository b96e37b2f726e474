// Reads the arguments of many events in one pass over the file's text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

// An argument as written in the file: texts without quotes, with their escapes.
struct RawArgument {
    std::string_view name;
    std::string_view value;
    bool is_string = false;
    bool has_escapes = false;  // a JSON file's texts
};

// Converts the scan's result to what an ArgumentReader returns.
std::vector<Argument> resolved(std::span<const RawArgument> raw);

// Not thread-safe. Buffers only a few pieces of the text, regardless of the text's length.
class ArgumentScan {
  public:
    virtual ~ArgumentScan() = default;
    // The arguments of the event whose text begins at `source`. Calls must be in ascending order of
    // `source`. Empty if there is no whole event at `source`. The result is valid until the next
    // call. Errors: the file has changed or cannot be read.
    virtual Result<std::span<const RawArgument>> read(uint64_t source) = 0;
    virtual uint64_t file_bytes_done() const = 0;
    virtual uint64_t file_bytes() const = 0;
};

// Null if the trace has no file to read again, or is not completely loaded.
std::unique_ptr<ArgumentScan> open_argument_scan(const TracePtr& trace);

// For files whose positions are offsets in the file and where reading one event is cheap.
std::unique_ptr<ArgumentScan> scan_by_reader(std::unique_ptr<ArgumentReader> reader,
                                             uint64_t file_bytes);

}  // namespace lanescope
