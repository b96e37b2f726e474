// Opens a trace file and recognises its format, including a trace in a folder or archive.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
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

// Bounds the unpacking of databases of a folder or archive that are only to be recognised.
class RecogniseBudget {
  public:
    static constexpr uint64_t kMostOfOne = uint64_t{256} << 20;  // database

    // False: so many bytes are not left, now and later.
    bool take(uint64_t bytes) {
        if (bytes > left_) left_ = 0;
        if (left_ == 0) return false;
        left_ -= bytes;
        return true;
    }

    // Of bytes that were taken, those that were not needed.
    void give_back(uint64_t bytes) { left_ += bytes; }

  private:
    uint64_t left_ = uint64_t{4} << 30;
};
// The error of a file that cannot be recognised without more.
Error budget_spent(const std::string& path);
inline constexpr std::string_view kTooLargeForList =
    "is a database that is not unpacked for a list; name it to open it";

// `path`: the file's name in errors. `budget`: if not null, only as much of a compressed database
// is unpacked as is needed to recognise it. Errors: it cannot be read, or its format is not read;
// ErrorCode::no_memory: the budget is spent.
Result<RecognisedFile> recognise_file(const std::string& path, std::shared_ptr<InputFile> file,
                                      const std::atomic<bool>* cancel,
                                      RecogniseBudget* budget = nullptr);

// By the first bytes of a file that is neither compressed nor a database. `input` has no file.
Result<RecognisedFile> recognise_text(const std::string& path, std::string_view start);

}  // namespace lanescope
