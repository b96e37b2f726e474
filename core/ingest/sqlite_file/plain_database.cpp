// Inflates a compressed database to a temporary file, because SQLite needs random access.
#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/sqlite_file/sqlite_file.h"
#include "core/source/forward_text.h"
#include "core/source/unnamed_file.h"

namespace lanescope {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
// Larger than any profiler's database; bounds the inflated size of a small file.
constexpr uint64_t kMostBytes = uint64_t{256} << 30;

Error with_path(const InputFile& file, const Error& error) {
    return {error.code, error.byte_offset, fmt::format("{}: {}", file.path(), error.text)};
}

}  // namespace

Result<std::shared_ptr<InputFile>> plain_database(const std::shared_ptr<InputFile>& file,
                                                  Compression compression,
                                                  const std::atomic<bool>* cancel, uint64_t most) {
    if (compression == Compression::none) return file;
    const Result<std::unique_ptr<UnnamedFile>> copy = UnnamedFile::create(temporary_folder());
    if (!copy) return with_path(*file, copy.error());
    const std::unique_ptr<Decompressor> text = read_in_order(file, compression);
    std::vector<char> piece(kPieceBytes);
    for (;;) {
        if (cancel && cancel->load())
            return Error{ErrorCode::cancelled, Error::no_offset,
                         fmt::format("{}: loading was cancelled", file->path())};
        const uint64_t step = std::min<uint64_t>(piece.size(), most - (*copy)->size());
        const Result<std::size_t> got = text->read(piece.data(), step);
        if (!got) return got.error();
        if (*got == 0) break;
        if ((*copy)->size() + *got > kMostBytes)
            return Error{ErrorCode::unsupported, Error::no_offset,
                         fmt::format("{}: inflates to more than {} GiB; unpack it first",
                                     file->path(), kMostBytes >> 30)};
        const Result<void> kept = (*copy)->append({piece.data(), *got});
        if (!kept) return with_path(*file, kept.error());
        if (*got < piece.size()) break;
    }
    return InputFile::of_descriptor(file->path(), (*copy)->release());
}

}  // namespace lanescope
