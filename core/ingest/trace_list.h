// The traces in a folder or an archive.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/source/archive.h"
#include "core/source/file.h"

namespace lanescope {

struct ListedTrace {
    std::string path;       // to be opened: "run.zip/rank0.json"
    std::string_view kind;  // its format's name
    uint64_t bytes = 0;     // of the file, unpacked from the archive
};

struct TraceList {
    std::vector<ListedTrace> traces;  // sorted by path
    std::size_t others = 0;           // files that are no traces
    std::vector<std::string> notes;   // sentences: what is left out, and why
};

// Looks into subfolders, but not into hidden ones or behind links to folders. Files that a format
// reads together with a listed one are not listed. Errors: the folder cannot be read, cancelled.
Result<TraceList> list_folder(const std::string& path, const std::atomic<bool>* cancel = nullptr);

// Does not look into archives within the archive. Errors: see visit_archive(); cancelled.
Result<TraceList> list_archive(const std::string& path, const std::shared_ptr<InputFile>& archive,
                               ArchiveKind kind, Compression compression,
                               const std::atomic<bool>* cancel = nullptr);

// The error for a folder or an archive that holds no trace, or several: names all, and says how to
// open one.
Error not_one_trace(const std::string& path, const TraceList& list);

// The traces of a folder or archive; no list for another file, a pipe or a path that does not
// exist. Errors: see list_folder() and list_archive().
struct ListOrFile {
    bool is_list = false;
    TraceList list;
};
Result<ListOrFile> list_traces(const std::string& path, const std::atomic<bool>* cancel = nullptr);

// The paths with each folder and archive of several traces replaced by all of them. Errors: as
// above, or one of them holds no trace or more than 64; `failed` is its path.
struct ListedPaths {
    std::vector<std::string> paths;
    std::vector<std::string> notes;  // with their folder or archive: what is left out, and why
};
Result<ListedPaths> with_listed_traces(const std::vector<std::string>& paths, std::string& failed);

}  // namespace lanescope
