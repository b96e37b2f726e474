// Files inside of zip and tar archives, read without unpacking anything beside the archive. A file
// inside of "run.zip" has the path "run.zip/folder/file": InputFile::open() takes it like others.
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
    std::string name;     // as the archive says, without "./" at its beginning
    uint64_t bytes = 0;   // of its content, unpacked
    std::string refused;  // why it is not read ("is a link"); empty: it is read
};

// The content of one entry, unpacked, from its beginning on.
class ArchiveContent {
  public:
    virtual ~ArchiveContent() = default;
    // Reads up to `bytes` more; fewer only at the end. Errors: the content is damaged, cut short,
    // or not as long as its entry says.
    virtual Result<std::size_t> read(char* into, std::size_t bytes) = 0;
};

// Called for each file, link or device of an archive, not for folders. False ends the visit. The
// content of a refused entry is empty.
using VisitEntry = std::function<Result<bool>(const ArchiveEntry&, ArchiveContent&)>;

enum class ArchiveKind : uint8_t { none, zip, tar };

// By the first bytes of a file's text.
ArchiveKind archive_kind(std::string_view start);

struct ArchiveFile {
    ArchiveKind kind = ArchiveKind::none;
    Compression compression = Compression::none;
};
// What the file is. Errors: it cannot be read.
Result<ArchiveFile> archive_of(const std::shared_ptr<InputFile>& file);

// Visits the entries in the order of the archive. The result is why the archive ended early,
// after what could be visited; empty if it is complete. Errors: the archive is damaged or cut such
// that nothing can be visited, cannot be read, cancelled; an error of `visit`.
Result<std::string> visit_archive(const std::shared_ptr<InputFile>& archive, ArchiveKind kind,
                                  Compression compression, const VisitEntry& visit,
                                  const std::atomic<bool>* cancel = nullptr);

// "run.zip/folder/file" as the archive's path and the entry's name, if the former is a regular
// file.
struct PathInArchive {
    std::string archive;
    std::string entry;
};
std::optional<PathInArchive> path_in_archive(const std::string& path);

// Unpacks one entry into a temporary file without a name. `limit`: most bytes of its content.
// Errors: there is no such entry, it is refused, damaged, larger than `limit` or than the free
// space, cancelled.
Result<std::shared_ptr<InputFile>> open_in_archive(const PathInArchive& place,
                                                   const std::shared_ptr<InputFile>& archive,
                                                   const std::atomic<bool>* cancel = nullptr,
                                                   uint64_t limit = uint64_t{256} << 30);

}  // namespace lanescope
