#include "core/source/forward_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lanescope {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;  // read at once

// An uncompressed file, read through the same interface as a compressed one.
class PlainText final : public Decompressor {
  public:
    explicit PlainText(std::shared_ptr<InputFile> file) : file_(std::move(file)) {}

    Result<std::size_t> read(char* into, std::size_t bytes) override {
        Result<std::size_t> got = file_->read_at(at_, into, bytes);
        if (got) at_ += *got;
        return got;
    }
    uint64_t file_bytes_done() const override { return at_; }
    TextEnd end() const override { return {}; }

  private:
    std::shared_ptr<InputFile> file_;
    uint64_t at_ = 0;
};

}  // namespace

std::unique_ptr<Decompressor> read_in_order(std::shared_ptr<InputFile> file,
                                            Compression compression,
                                            std::shared_ptr<GzipIndex> index) {
    switch (compression) {
        case Compression::gzip:
            return make_gzip_decompressor(std::move(file), std::move(index));
        case Compression::zstd:
            return make_zstd_decompressor(std::move(file));
        case Compression::none:
            break;
    }
    return std::make_unique<PlainText>(std::move(file));
}

ForwardText::ForwardText(std::shared_ptr<InputFile> file, Compression compression,
                         std::shared_ptr<GzipIndex> index)
    : file_(std::move(file)), text_(read_in_order(file_, compression, std::move(index))) {}

Result<std::string_view> ForwardText::read(uint64_t offset, std::size_t bytes) {
    while (!at_end_ && offset_ + size_ < offset + bytes) {
        if (!file_->unchanged())
            return Error{
                ErrorCode::io, offset,
                fmt::format("{}: has changed since it was opened; open it again", file_->path())};
        drop(offset);
        if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, size_);
        begin_ = 0;
        buffer_.resize(size_ + kPiece + kTextPadding);
        const Result<std::size_t> got = text_->read(buffer_.data() + size_, kPiece);
        if (!got) return got.error();
        size_ += *got;
        std::memset(buffer_.data() + size_, 0, kTextPadding);
        at_end_ = *got < kPiece;
    }
    drop(offset);
    if (offset != offset_) return std::string_view();  // beyond the end
    return std::string_view(buffer_.data() + begin_, size_);
}

void ForwardText::drop(uint64_t offset) {
    const auto passed =
        static_cast<std::size_t>(std::min<uint64_t>(offset - std::min(offset, offset_), size_));
    begin_ += passed;
    offset_ += passed;
    size_ -= passed;
}

}  // namespace lanescope
