// Lists the traces in a folder or archive.
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
    std::string path;       // opens this trace: "run.zip/rank0.json"
    std::string_view kind;  // name of its format
    uint64_t bytes = 0;     // file size, after unpacking from an archive
};

struct TraceList {
    std::vector<ListedTrace> traces;  // sorted by path
    std::size_t others = 0;           // files that are no traces, or are refused
    std::size_t unreadable = 0;       // files that are damaged or cannot be read
    std::vector<std::string> notes;   // sentences: what is left out, and why
};

// Lists the traces in a folder and its subfolders. Skips hidden files and folders, does not follow
// links to folders, and omits files that a format reads together with a listed file. Errors: the
// folder cannot be read, or the listing was cancelled.
Result<TraceList> list_folder(const std::string& path, const std::atomic<bool>* cancel = nullptr);

// Lists the traces in an archive, without those in nested archives. Errors: see visit_archive();
// cancelled.
Result<TraceList> list_archive(const std::string& path, const std::shared_ptr<InputFile>& archive,
                               ArchiveKind kind, Compression compression,
                               const std::atomic<bool>* cancel = nullptr);

// The error for a folder or archive without exactly one trace. Names all traces and says how to
// open one.
Error not_one_trace(const std::string& path, const TraceList& list);

// Lists the traces of a folder or archive. `is_list` is false for any other file, a pipe, or a
// missing path. Errors: see list_folder() and list_archive().
struct ListOrFile {
    bool is_list = false;
    TraceList list;
};
Result<ListOrFile> list_traces(const std::string& path, const std::atomic<bool>* cancel = nullptr);

// Replaces each folder or archive of several traces by its traces. Errors: as list_traces(), or a
// folder or archive has no trace or more than 64; sets `failed` to its path.
struct ListedPaths {
    std::vector<std::string> paths;
    // What was left out, and why; each begins with the folder or archive.
    std::vector<std::string> notes;
};
Result<ListedPaths> with_listed_traces(const std::vector<std::string>& paths, std::string& failed);

}  // namespace lanescope
