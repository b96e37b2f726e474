#include "core/ingest/trace_list.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "core/base/format.h"
#include "core/ingest/open_input.h"
#include "core/ingest/sqlite_file/sqlite_file.h"
#include "core/source/forward_text.h"
#include "core/source/unnamed_file.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 10'000;  // maximum number of files to probe
constexpr int kDeepestFolder = 8;
// Minimum Recognised::confidence for a file that the user did not name.
constexpr int kSureEnough = 51;
constexpr std::size_t kEntryStart = std::size_t{256} << 10;
constexpr std::size_t kMostShown = 40;
// Maximum number of traces to open at once.
constexpr std::size_t kMostTogether = 64;

// Collects traces and counts the rest.
class Lister {
  public:
    // False: the limit on files is reached.
    bool may_look() {
        if (looked_++ < kMostFiles) return true;
        list_.notes.push_back(fmt::format("only the first {} files were looked at", kMostFiles));
        return false;
    }

    void add(const std::string& path, const Result<RecognisedFile>& known, uint64_t bytes) {
        if (!known || known->archive != ArchiveKind::none || known->confidence < kSureEnough) {
            ++list_.others;
            if (known && known->archive != ArchiveKind::none) ++archives_;
            return;
        }
        if (!paths_.insert(path).second) return;
        list_.traces.push_back({path, known->input.format->text().name, bytes});
    }

    void refuse(const ArchiveEntry& entry) {
        ++list_.others;
        if (refused_++ == 0) first_refused_ = fmt::format("{} {}", entry.name, entry.refused);
    }

    void note(std::string sentence) { list_.notes.push_back(std::move(sentence)); }

    TraceList finish() {
        std::ranges::sort(list_.traces, {}, &ListedTrace::path);
        if (refused_ > 0) {
            const std::string more =
                refused_ > 1 ? fmt::format(" (and {} more like it)", refused_ - 1) : "";
            note(fmt::format("{}{}", first_refused_, more));
        }
        if (archives_ > 0)
            note(fmt::format("archives within it ({}) are not looked into", archives_));
        return std::move(list_);
    }

  private:
    TraceList list_;
    std::set<std::string> paths_;
    std::size_t looked_ = 0;
    std::size_t archives_ = 0;
    std::size_t refused_ = 0;
    std::string first_refused_;
};

bool is_cancelled(const std::atomic<bool>* cancel) {
    return cancel && cancel->load();
}

Error list_cancelled(const std::string& path) {
    return {ErrorCode::cancelled, Error::no_offset, path + ": loading was cancelled"};
}

// Regular files in a folder and its subfolders, sorted.
Result<std::vector<std::string>> files_below(const std::string& folder, Lister& lister,
                                             const std::atomic<bool>* cancel) {
    std::error_code problem;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        problem);
    if (problem)
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: cannot read the folder: {}", folder, problem.message())};
    std::vector<std::string> files;
    for (; !problem && at != fs::end(at); at.increment(problem)) {
        if (is_cancelled(cancel)) return list_cancelled(folder);
        std::error_code unknown;
        const bool is_hidden = at->path().filename().string().starts_with('.');
        if (at->is_directory(unknown)) {
            if (is_hidden || at.depth() >= kDeepestFolder) at.disable_recursion_pending();
        } else if (!is_hidden && at->is_regular_file(unknown)) {
            if (!lister.may_look()) break;
            files.push_back(at->path().string());
        }
    }
    std::ranges::sort(files);
    return files;
}

bool begins_as_database(const std::shared_ptr<InputFile>& file) {
    std::string start(kSqliteMagic.size(), '\0');
    const Result<ArchiveFile> kind = archive_of(file);
    if (!kind) return false;
    const Result<std::size_t> got =
        read_in_order(file, kind->compression)->read(start.data(), start.size());
    return got && start == kSqliteMagic;
}

// Recognises an entry by its start, or by its whole content if it is an SQLite database.
Result<RecognisedFile> recognise_entry(const std::string& path, ArchiveContent& content,
                                       const std::atomic<bool>* cancel) {
    std::string piece(kEntryStart, '\0');
    std::string start;
    bool is_whole = false;
    for (bool whole_wanted = false;;) {
        Result<std::unique_ptr<UnnamedFile>> copy = UnnamedFile::create(temporary_folder());
        if (!copy) return copy.error();
        if (const Result<void> kept = (*copy)->append(start); !kept) return kept.error();
        while (!is_whole && (whole_wanted || start.empty())) {
            if (is_cancelled(cancel)) return list_cancelled(path);
            const Result<std::size_t> got = content.read(piece.data(), piece.size());
            if (!got) return got.error();
            is_whole = *got < piece.size();
            const std::string_view read(piece.data(), *got);
            if (const Result<void> kept = (*copy)->append(read); !kept) return kept.error();
            if (!whole_wanted) start = read;
            if (!whole_wanted) break;
        }
        Result<std::shared_ptr<InputFile>> file =
            InputFile::of_descriptor(path, (*copy)->release());
        if (!file) return file.error();
        Result<RecognisedFile> known = recognise_file(path, *file, cancel);
        if (is_whole || whole_wanted || !begins_as_database(*file)) return known;
        whole_wanted = true;
    }
}

bool is_regular(const std::string& path) {
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

Result<TraceList> list_folder(const std::string& path, const std::atomic<bool>* cancel) {
    Lister lister;
    const Result<std::vector<std::string>> files = files_below(path, lister, cancel);
    if (!files) return files.error();
    std::set<std::string> read_with_others;
    for (const std::string& name : *files) {
        if (is_cancelled(cancel)) return list_cancelled(path);
        if (read_with_others.contains(fs::path(name).lexically_normal().string())) continue;
        Result<std::shared_ptr<InputFile>> file = InputFile::open(name, cancel);
        if (!file) {
            lister.add(name, file.error(), 0);
            continue;
        }
        const Result<RecognisedFile> known = recognise_file(name, *file, cancel);
        lister.add(name, known, (*file)->size());
        if (!known || !known->input.format) continue;
        for (const std::string& beside : known->input.format->companions(name))
            read_with_others.insert(fs::path(beside).lexically_normal().string());
    }
    return lister.finish();
}

Result<TraceList> list_archive(const std::string& path, const std::shared_ptr<InputFile>& archive,
                               ArchiveKind kind, Compression compression,
                               const std::atomic<bool>* cancel) {
    Lister lister;
    Result<std::string> ended = visit_archive(
        archive, kind, compression,
        [&](const ArchiveEntry& entry, ArchiveContent& content) -> Result<bool> {
            if (!lister.may_look()) return false;
            if (!entry.refused.empty()) {
                lister.refuse(entry);
                return true;
            }
            const std::string name = fmt::format("{}/{}", path, entry.name);
            const Result<RecognisedFile> known = recognise_entry(name, content, cancel);
            if (is_cancelled(cancel)) return list_cancelled(path);
            if (!known && known.error().code == ErrorCode::damaged)
                lister.refuse({entry.name, 0, "is damaged"});
            else
                lister.add(name, known, entry.bytes);
            return true;
        },
        cancel);
    if (!ended) return ended.error();
    if (!ended->empty()) lister.note(std::move(*ended));
    return lister.finish();
}

Error not_one_trace(const std::string& path, const TraceList& list) {
    std::string notes;
    for (const std::string& note : list.notes) notes += "; " + note;
    if (list.traces.empty())
        return {ErrorCode::empty, Error::no_offset,
                list.others == 0 ? fmt::format("{}: holds no files{}", path, notes)
                                 : fmt::format("{}: none of its {} files is a trace{}", path,
                                               list.others, notes)};
    std::string text = fmt::format("{}: holds {} traces; name one of them, as {}{}:", path,
                                   list.traces.size(), list.traces.front().path, notes);
    std::size_t longest = 0;
    const std::size_t shown = std::min(list.traces.size(), kMostShown);
    for (std::size_t i = 0; i < shown; ++i) longest = std::max(longest, list.traces[i].path.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const ListedTrace& trace = list.traces[i];
        text += fmt::format("\n  {:<{}}  {:>9}  {}", trace.path, longest,
                            format_bytes(static_cast<int64_t>(trace.bytes)), trace.kind);
    }
    if (shown < list.traces.size())
        text += fmt::format("\n  and {} more", list.traces.size() - shown);
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

Result<ListOrFile> list_traces(const std::string& path, const std::atomic<bool>* cancel) {
    std::error_code code;
    Result<TraceList> list = TraceList{};
    if (fs::is_directory(path, code)) {
        list = list_folder(path, cancel);
    } else {
        if (!is_regular(path)) return ListOrFile{};
        const Result<std::shared_ptr<InputFile>> file = InputFile::open(path, cancel);
        if (!file) return ListOrFile{};  // the caller opens the file, and reports the error
        const Result<ArchiveFile> archive = archive_of(*file);
        if (!archive) return archive.error();
        if (archive->kind == ArchiveKind::none) return ListOrFile{};
        list = list_archive(path, *file, archive->kind, archive->compression, cancel);
    }
    if (!list) return list.error();
    return ListOrFile{true, std::move(*list)};
}

Result<ListedPaths> with_listed_traces(const std::vector<std::string>& paths, std::string& failed) {
    ListedPaths all;
    for (const std::string& path : paths) {
        failed = path;
        const Result<ListOrFile> found = list_traces(path);
        if (!found) return found.error();
        const std::vector<ListedTrace>& traces = found->list.traces;
        if (found->is_list && (traces.empty() || traces.size() > kMostTogether))
            return not_one_trace(path, found->list);
        // If there is only one trace, its load reports the notes.
        if (traces.size() < 2) {
            all.paths.push_back(path);
            continue;
        }
        for (const ListedTrace& trace : traces) all.paths.push_back(trace.path);
        for (const std::string& note : found->list.notes)
            all.notes.push_back(fmt::format("{}: {}", path, note));
    }
    failed.clear();
    return all;
}

}  // namespace lanescope
