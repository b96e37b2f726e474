// Reads files within zip and tar archives. Writes nothing beside the archive. A file in "run.zip"
// has the path "run.zip/folder/file", and InputFile::open() opens it like any other file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/source/file.h"
#include "core/source/sniff.h"

namespace lanescope {

struct ArchiveEntry {
    std::string name;     // as stored, without a leading "./"
    uint64_t bytes = 0;   // size of the unpacked content
    std::string refused;  // why the entry is not read ("is a link"); empty: it is read
};

// The unpacked content of one entry, as a stream.
class ArchiveContent {
  public:
    virtual ~ArchiveContent() = default;
    // Reads the next bytes into `into`, and returns their number: less than `bytes` only at the
    // end. Errors: the content is damaged, ends early, or differs in size from the entry's header.
    virtual Result<std::size_t> read(char* into, std::size_t bytes) = 0;
};

// Called for each file, link or device of an archive, but not for folders. Return false to stop.
// The content of a refused entry is empty.
using VisitEntry = std::function<Result<bool>(const ArchiveEntry&, ArchiveContent&)>;

enum class ArchiveKind : uint8_t { none, zip, tar };

// `start`: at least the first 512 decompressed bytes of a file.
ArchiveKind archive_kind(std::string_view start);

struct ArchiveFile {
    ArchiveKind kind = ArchiveKind::none;
    Compression compression = Compression::none;
};
// Reads the start of a file. Errors: the file cannot be read.
Result<ArchiveFile> archive_of(const std::shared_ptr<InputFile>& file);

// Visits the entries in the order of the archive. Returns the reason if the archive ends early
// after some entries; empty: it is complete. Errors: nothing can be visited because the archive is
// damaged or cut; it cannot be read; cancelled; an error of `visit`.
Result<std::string> visit_archive(const std::shared_ptr<InputFile>& archive, ArchiveKind kind,
                                  Compression compression, const VisitEntry& visit,
                                  const std::atomic<bool>* cancel = nullptr);

// Splits "run.zip/folder/file" into the path of the archive, which must be a regular file, and the
// name of the entry.
struct PathInArchive {
    std::string archive;
    std::string entry;
};
std::optional<PathInArchive> path_in_archive(const std::string& path);

// Unpacks one entry into a temporary file without a name: the last one, if several have the name.
// `limit`: most bytes of its content.
// Errors: there is no such entry, it is refused, damaged, larger than `limit` or than the free
// space, cancelled.
Result<std::shared_ptr<InputFile>> open_in_archive(const PathInArchive& place,
                                                   const std::shared_ptr<InputFile>& archive,
                                                   const std::atomic<bool>* cancel = nullptr,
                                                   uint64_t limit = uint64_t{256} << 30);

}  // namespace lanescope
