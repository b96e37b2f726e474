// Opens the file of a trace and recognises its format, also in a folder or an archive.
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
    // Sentences: what of the folder or archive around it is not read, and why.
    std::vector<std::string> notes;
};

// Opens a file, unless LoadOptions::file is open, and recognises its format. A folder or archive
// that holds one trace stands for this trace; InputFile::path() is then the path of the trace
// inside. Errors: the file cannot be read, its format is not read, the folder or archive holds no
// trace or several.
Result<OpenedInput> open_input(const std::string& path, const LoadOptions& options);

// An archive, or a file of a known format; members of `input` that only a load needs are not set.
struct RecognisedFile {
    TraceInput input;
    ArchiveKind archive = ArchiveKind::none;  // if not none, there is no format
    int confidence = 0;                       // as Recognised::confidence
};

// `path`: the file's name in errors. Errors: it cannot be read, or its format is not read.
Result<RecognisedFile> recognise_file(const std::string& path, std::shared_ptr<InputFile> file,
                                      const std::atomic<bool>* cancel);

}  // namespace lanescope
