#include "core/source/archive.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/source/archive_readers.h"
#include "core/source/forward_text.h"
#include "core/source/unnamed_file.h"

namespace lanescope {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kPieceOfEntry = std::size_t{1} << 20;
constexpr std::string_view kCopyAgain =
    "Copy or download the archive again: what is damaged in it cannot be read.";

bool leads_outside(std::string_view name) {
    if (name.starts_with('/')) return true;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find('/'), name.size());
        if (name.substr(0, end) == "..") return true;
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return false;
}

bool is_regular_file(const std::string& path) {
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

Error of_entry(const PathInArchive& place, const Error& error) {
    const bool is_damaged = error.code == ErrorCode::damaged;
    return {error.code, error.byte_offset,
            fmt::format("{}/{}: {}", place.archive, place.entry, error.text),
            is_damaged ? std::string(kCopyAgain) : error.advice};
}

// Copies the entry's content to a temporary file.
Result<std::unique_ptr<UnnamedFile>> unpack(const PathInArchive& place, const ArchiveEntry& entry,
                                            ArchiveContent& content, uint64_t limit,
                                            const std::atomic<bool>* cancel) {
    const auto refuse = [&](ErrorCode code, std::string_view why) {
        return of_entry(place, {code, Error::no_offset, std::string(why)});
    };
    if (!entry.refused.empty()) return refuse(ErrorCode::unsupported, entry.refused);
    if (entry.bytes > limit)
        return refuse(ErrorCode::unsupported,
                      fmt::format("has {}, more than the limit of {}; unpack it first",
                                  format_bytes(static_cast<int64_t>(entry.bytes)),
                                  format_bytes(static_cast<int64_t>(limit))));
    Result<std::unique_ptr<UnnamedFile>> copy = UnnamedFile::create(temporary_folder());
    if (!copy) return of_entry(place, copy.error());
    if (const Result<void> fits = (*copy)->check_space(entry.bytes); !fits)
        return of_entry(place, fits.error());
    std::vector<char> piece(kPieceOfEntry);
    for (;;) {
        if (cancel && cancel->load()) return refuse(ErrorCode::cancelled, "loading was cancelled");
        const Result<std::size_t> got = content.read(piece.data(), piece.size());
        if (!got) return of_entry(place, got.error());
        if (const Result<void> kept = (*copy)->append({piece.data(), *got}); !kept)
            return of_entry(place, kept.error());
        if (*got < piece.size()) return copy;
    }
}

Error no_such_entry(const PathInArchive& place, const std::string& ended) {
    std::string text = fmt::format("{} holds no file {}", place.archive, place.entry);
    if (!ended.empty()) text += fmt::format("; {}", ended);
    return {ErrorCode::io, Error::no_offset, std::move(text)};
}

}  // namespace

ArchiveKind archive_kind(std::string_view start) {
    // An empty archive begins with the second signature.
    if (start.starts_with("PK\x03\x04"sv) || start.starts_with("PK\x05\x06"sv))
        return ArchiveKind::zip;
    if (start.size() >= kTarBlock && is_tar_header(start.substr(0, kTarBlock)))
        return ArchiveKind::tar;
    return ArchiveKind::none;
}

Result<ArchiveFile> archive_of(const std::shared_ptr<InputFile>& file) {
    std::string start(kTarBlock, '\0');
    Result<std::size_t> got = file->read_at(0, start.data(), start.size());
    if (!got) return got.error();
    const Compression compression = sniff_compression({start.data(), *got});
    got = read_in_order(file, compression)->read(start.data(), start.size());
    if (!got) return got.error();
    return ArchiveFile{archive_kind({start.data(), *got}), compression};
}

void check_name(ArchiveEntry& entry) {
    while (entry.name.starts_with("./")) entry.name.erase(0, 2);
    const bool has_control = std::ranges::any_of(
        entry.name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (entry.name.empty() || has_control || leads_outside(entry.name)) {
        entry.refused = "has a name that leads out of the archive or cannot be shown";
        std::ranges::replace_if(
            entry.name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
            '?');
    }
}

Error archive_error(const InputFile& archive, uint64_t offset, std::string_view what) {
    return {ErrorCode::damaged, offset, fmt::format("{}: {}", archive.path(), what),
            std::string(kCopyAgain)};
}

Error visit_cancelled(const InputFile& archive) {
    return {ErrorCode::cancelled, Error::no_offset,
            fmt::format("{}: loading was cancelled", archive.path())};
}

Result<std::string> visit_archive(const std::shared_ptr<InputFile>& archive, ArchiveKind kind,
                                  Compression compression, const VisitEntry& visit,
                                  const std::atomic<bool>* cancel) {
    if (kind == ArchiveKind::tar) return visit_tar(archive, compression, visit, cancel);
    if (kind == ArchiveKind::zip && compression == Compression::none)
        return visit_zip(archive, visit, cancel);
    return Error{ErrorCode::unsupported, Error::no_offset,
                 fmt::format("{}: is a compressed zip archive; unpack it once", archive->path())};
}

std::optional<PathInArchive> path_in_archive(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        const std::string archive = path.substr(0, slash);
        if (!is_regular_file(archive)) continue;
        const std::size_t entry = path.find_first_not_of('/', slash);
        if (entry == std::string::npos) return std::nullopt;
        return PathInArchive{archive, path.substr(entry)};
    }
    return std::nullopt;
}

Result<std::shared_ptr<InputFile>> open_in_archive(const PathInArchive& place,
                                                   const std::shared_ptr<InputFile>& archive,
                                                   const std::atomic<bool>* cancel,
                                                   uint64_t limit) {
    const Result<ArchiveFile> found = archive_of(archive);
    if (!found) return found.error();
    if (found->kind == ArchiveKind::none)
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: is neither a folder nor an archive, so there is no {} in it",
                                 place.archive, place.entry)};
    // The last entry of a name is the newest: programs that unpack archives replace older ones. In
    // a plain archive it is found without reading contents.
    const bool may_look_ahead = found->compression == Compression::none;
    std::size_t wanted = 0;
    std::size_t seen = 0;
    if (may_look_ahead) {
        const Result<std::string> counted = visit_archive(
            archive, found->kind, found->compression,
            [&](const ArchiveEntry& entry, ArchiveContent&) -> Result<bool> {
                if (entry.name == place.entry) ++wanted;
                return true;
            },
            cancel);
        if (!counted) return counted.error();
        if (wanted == 0) return no_such_entry(place, *counted);
    }
    std::optional<Result<std::unique_ptr<UnnamedFile>>> copy;
    const Result<std::string> ended = visit_archive(
        archive, found->kind, found->compression,
        [&](const ArchiveEntry& entry, ArchiveContent& content) -> Result<bool> {
            if (entry.name != place.entry || ++seen < wanted) return true;
            copy.reset();  // frees the space of an older one
            copy.emplace(unpack(place, entry, content, limit, cancel));
            return !may_look_ahead && (*copy || copy->error().code != ErrorCode::cancelled);
        },
        cancel);
    const bool was_cancelled = !ended && ended.error().code == ErrorCode::cancelled;
    if (!ended && (!copy || was_cancelled)) return ended.error();
    if (!copy) return no_such_entry(place, *ended);
    if (!*copy) return copy->error();
    return InputFile::of_descriptor(fmt::format("{}/{}", place.archive, place.entry),
                                    (**copy)->release());
}

}  // namespace lanescope
