#include "core/ingest/trace_list.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "core/base/format.h"
#include "core/base/printable.h"
#include "core/ingest/folder_walk.h"
#include "core/ingest/open_input.h"
#include "core/ingest/sqlite_file/sqlite_file.h"
#include "core/ingest/trace_lister.h"
#include "core/source/forward_text.h"
#include "core/source/unnamed_file.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 100'000;  // that are looked at
// As much as formats are recognised by, also of text that is compressed within.
constexpr std::size_t kEntryStart = std::size_t{64} << 10;
// A database is recognised by its list of tables, which may be anywhere in it.
constexpr uint64_t kMoreOfDatabase = 16;
constexpr std::size_t kMostShown = 40;
// Maximum number of traces to open at once.
constexpr std::size_t kMostTogether = 64;

bool is_cancelled(const std::atomic<bool>* cancel) {
    return cancel && cancel->load();
}

Error list_cancelled(const std::string& path) {
    return {ErrorCode::cancelled, Error::no_offset, path + ": loading was cancelled"};
}

bool begins_as_database(const std::shared_ptr<InputFile>& file) {
    std::string start(kSqliteMagic.size(), '\0');
    const Result<ArchiveFile> kind = archive_of(file);
    if (!kind) return false;
    const Result<std::size_t> got =
        read_in_order(file, kind->compression)->read(start.data(), start.size());
    return got && start == kSqliteMagic;
}

// Recognises the entries of an archive by their beginnings.
class EntryReader {
  public:
    explicit EntryReader(const std::atomic<bool>* cancel) : cancel_(cancel) {}

    Result<RecognisedFile> recognise(const std::string& path, ArchiveContent& content) {
        const Result<std::size_t> got = content.read(piece_.data(), piece_.size());
        if (!got) return got.error();
        const std::string_view start(piece_.data(), *got);
        const bool is_plain = sniff_compression(start) == Compression::none;
        if (is_plain && !start.starts_with(kSqliteMagic)) return recognise_text(path, start);
        return recognise_by_file(path, start, content);
    }

  private:
    // For what can only be read from a file.
    Result<RecognisedFile> recognise_by_file(const std::string& path, std::string_view start,
                                             ArchiveContent& content) {
        if (const Result<void> empty = empty_copy(); !empty) return empty.error();
        if (const Result<void> kept = copy_->append(start); !kept) return kept.error();
        bool is_whole = start.size() < piece_.size();
        for (uint64_t wanted = kEntryStart * kMoreOfDatabase;; wanted *= kMoreOfDatabase) {
            Result<std::shared_ptr<InputFile>> file =
                InputFile::of_descriptor(path, copy_->duplicate());
            if (!file) return file.error();
            Result<RecognisedFile> known = recognise_file(path, *file, cancel_, &budget_);
            if (known || is_whole || !begins_as_database(*file)) return known;
            if (wanted > RecogniseBudget::kMostOfOne || !budget_.take(wanted - copy_->size()))
                return budget_spent(path);
            while (!is_whole && copy_->size() < wanted) {
                if (is_cancelled(cancel_)) return list_cancelled(path);
                const Result<std::size_t> got = content.read(piece_.data(), piece_.size());
                if (!got) return got.error();
                is_whole = *got < piece_.size();
                const Result<void> kept = copy_->append({piece_.data(), *got});
                if (!kept) return kept.error();
            }
            budget_.give_back(wanted - std::min(wanted, copy_->size()));
        }
    }

    Result<void> empty_copy() {
        if (copy_) return copy_->clear();
        Result<std::unique_ptr<UnnamedFile>> created = UnnamedFile::create(temporary_folder());
        if (!created) return created.error();
        copy_ = std::move(*created);
        return {};
    }

    const std::atomic<bool>* cancel_;
    std::string piece_ = std::string(kEntryStart, '\0');
    std::unique_ptr<UnnamedFile> copy_;
    RecogniseBudget budget_;
};

bool is_regular(const std::string& path) {
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

namespace {

Error no_trace(const std::string& path, const TraceList& list, const std::string& notes) {
    Error error{ErrorCode::empty, Error::no_offset, {}, {}};
    const std::size_t all = list.others + list.unreadable;
    if (all == 0)
        error.text = fmt::format("{}: holds no files{}", path, notes);
    else if (list.unreadable == 0)
        error.text = fmt::format("{}: none of its {} files is a trace{}", path, all, notes);
    else if (list.others == 0)
        error.text = fmt::format("{}: none of its {} files can be read{}", path, all, notes);
    else
        error.text = fmt::format(
            "{}: of its {} files, {} cannot be read, and {} no trace{}", path, all, list.unreadable,
            list.others == 1 ? "1 is" : fmt::format("{} are", list.others), notes);
    error.advice = list.unreadable > 0
                       ? "Check the permissions of files that cannot be read, and copy those that "
                         "are damaged again from their origin."
                       : "Name a folder, archive or file with a trace; lanescope formats lists the "
                         "formats that are read.";
    return error;
}

}  // namespace

Result<TraceList> list_folder(const std::string& path, const std::atomic<bool>* cancel) {
    TraceLister lister;
    Result<FolderFiles> files = files_below(path, kMostFiles, cancel);
    if (!files) return files.error();
    for (std::string& note : files->notes) lister.note(std::move(note));
    std::set<std::string> read_with_others;
    RecogniseBudget budget;
    for (const std::string& name : files->paths) {
        if (is_cancelled(cancel)) return list_cancelled(path);
        if (read_with_others.contains(fs::path(name).lexically_normal().string())) continue;
        Result<std::shared_ptr<InputFile>> file = InputFile::open(name, cancel);
        if (!file) {
            lister.add(name, name, file.error(), 0);
            continue;
        }
        const Result<RecognisedFile> known = recognise_file(name, *file, cancel, &budget);
        if (is_cancelled(cancel)) return list_cancelled(path);
        if (!known && known.error().code == ErrorCode::no_memory)
            lister.refuse(name, name, kTooLargeForList);
        else
            lister.add(name, name, known, (*file)->size());
        if (!known || !known->input.format) continue;
        for (const std::string& beside : known->input.format->companions(name))
            read_with_others.insert(fs::path(beside).lexically_normal().string());
    }
    return lister.finish();
}

Result<TraceList> list_archive(const std::string& path, const std::shared_ptr<InputFile>& archive,
                               ArchiveKind kind, Compression compression,
                               const std::atomic<bool>* cancel) {
    TraceLister lister;
    EntryReader reader(cancel);
    std::size_t looked = 0;
    Result<std::string> ended = visit_archive(
        archive, kind, compression,
        [&](const ArchiveEntry& entry, ArchiveContent& content) -> Result<bool> {
            if (looked++ >= kMostFiles) {
                lister.note(fmt::format("only the first {} files were looked at", kMostFiles));
                return false;
            }
            const std::string name = fmt::format("{}/{}", path, entry.name);
            if (!entry.refused.empty()) {
                lister.refuse(name, entry.name, entry.refused);
                return true;
            }
            const Result<RecognisedFile> known = reader.recognise(name, content);
            if (is_cancelled(cancel)) return list_cancelled(path);
            if (!known && known.error().code == ErrorCode::no_memory)
                lister.refuse(name, entry.name, kTooLargeForList);
            else
                lister.add(name, entry.name, known, entry.bytes);
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
    if (list.traces.empty()) return no_trace(path, list, notes);
    std::string text = fmt::format("{}: holds {} traces; name one of them, as {}{}:", path,
                                   list.traces.size(), printable(list.traces.front().path), notes);
    std::size_t longest = 0;
    const std::size_t shown = std::min(list.traces.size(), kMostShown);
    for (std::size_t i = 0; i < shown; ++i) longest = std::max(longest, list.traces[i].path.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const ListedTrace& trace = list.traces[i];
        text += fmt::format("\n  {:<{}}  {:>9}  {}", printable(trace.path), longest,
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
