#include <fmt/format.h>

#include <algorithm>

#include "core/source/compressed.h"

namespace lanescope {

TextReader::TextReader(std::shared_ptr<InputFile> file, Compression compression,
                       std::shared_ptr<const GzipIndex> index)
    : file_(std::move(file)), compression_(compression), index_(std::move(index)) {}

Result<std::string> TextReader::read(uint64_t offset, std::size_t bytes) const {
    if (!file_->unchanged())
        return Error{
            ErrorCode::io, offset,
            fmt::format("{}: has changed since it was opened; open it again", file_->path())};
    std::string text(bytes, '\0');
    if (compression_ == Compression::none) {
        const Result<std::size_t> got = file_->read_at(offset, text.data(), bytes);
        if (!got) return got.error();
        text.resize(*got);
        return text;
    }
    std::unique_ptr<Decompressor> decompressor;
    uint64_t at = 0;
    if (compression_ == Compression::gzip && index_) {
        const auto after = std::upper_bound(
            index_->points.begin(), index_->points.end(), offset,
            [](uint64_t o, const GzipRestart& point) { return o < point.text_offset; });
        if (after != index_->points.begin()) {
            decompressor = resume_gzip(file_, *(after - 1));
            at = (after - 1)->text_offset;
        }
    }
    if (!decompressor)
        decompressor = compression_ == Compression::gzip ? make_gzip_decompressor(file_, nullptr)
                                                         : make_zstd_decompressor(file_);
    std::string skipped(std::min<uint64_t>(offset - at, std::size_t{1} << 20), '\0');
    while (at < offset) {
        const Result<std::size_t> got =
            decompressor->read(skipped.data(), std::min<uint64_t>(offset - at, skipped.size()));
        if (!got) return got.error();
        if (*got == 0) return std::string();
        at += *got;
    }
    const Result<std::size_t> got = decompressor->read(text.data(), bytes);
    if (!got) return got.error();
    text.resize(*got);
    return text;
}

}  // namespace lanescope
