// Opens a trace file and recognises its format, including a trace in a folder or archive.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/format.h"
#include "core/source/archive.h"

namespace lanescope {

struct OpenedInput {
    std::shared_ptr<const TraceInput> input;
    // Sentences on what was not read of the enclosing folder or archive, and why.
    std::vector<std::string> notes;
};

// Opens a file, unless LoadOptions::file is already open, and recognises its format. A folder or
// archive with a single trace opens that trace; InputFile::path() is then the path of that
// trace. Errors: the file cannot be read, its format is unknown or not supported, or
// the folder or archive does not hold exactly one trace.
Result<OpenedInput> open_input(const std::string& path, const LoadOptions& options);

// An archive, or a file of a known format. Sets only those members of `input` that recognition
// needs.
struct RecognisedFile {
    TraceInput input;
    ArchiveKind archive = ArchiveKind::none;  // other than none: no format is set
    int confidence = 0;                       // Recognised::confidence
};

// `path`: the name for error messages. Errors: the file cannot be read, or its format is unknown or
// not supported.
Result<RecognisedFile> recognise_file(const std::string& path, std::shared_ptr<InputFile> file,
                                      const std::atomic<bool>* cancel);

}  // namespace lanescope
