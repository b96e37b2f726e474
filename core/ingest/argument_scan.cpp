#include "core/ingest/argument_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/ingest/json/json_cursor.h"
#include "core/ingest/json/text_repair.h"

namespace lanescope {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;     // read at once
constexpr std::size_t kAhead = std::size_t{64} << 10;    // most events are shorter
constexpr std::size_t kLongest = std::size_t{16} << 20;  // longer text is not an event

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

std::unique_ptr<Decompressor> text_of(const std::shared_ptr<InputFile>& file,
                                      Compression compression) {
    if (compression == Compression::gzip) return make_gzip_decompressor(file, nullptr);
    if (compression == Compression::zstd) return make_zstd_decompressor(file);
    return std::make_unique<PlainText>(file);
}

class JsonArgumentScan final : public ArgumentScan {
  public:
    JsonArgumentScan(std::shared_ptr<InputFile> file, Compression compression)
        : file_(std::move(file)), text_(text_of(file_, compression)) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        arguments_.clear();
        for (std::size_t ahead = kAhead;; ahead *= 8) {
            if (const auto there = have(source, std::min(ahead, kLongest)); !there)
                return there.error();
            if (source - offset_ >= size_ || buffer_[begin_ + (source - offset_)] != '{') break;
            const char* const text = buffer_.data() + begin_;
            if (read_event({text + (source - offset_), text + size_}))
                return std::span<const RawArgument>(arguments_);
            arguments_.clear();
            if (at_end_ || ahead >= kLongest) break;
        }
        return std::span<const RawArgument>();
    }

    uint64_t file_bytes_done() const override { return text_->file_bytes_done(); }
    uint64_t file_bytes() const override { return file_->size(); }

  private:
    // Drops the text before `source`, and reads until `ahead` bytes from `source` are buffered or
    // the text ends.
    Result<void> have(uint64_t source, std::size_t ahead) {
        while (!at_end_ && offset_ + size_ < source + ahead) {
            if (!file_->unchanged())
                return Error{ErrorCode::io, source,
                             fmt::format("{}: has changed since it was opened; open it again",
                                         file_->path())};
            drop(source);
            if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, size_);
            begin_ = 0;
            buffer_.resize(size_ + kPiece + kTextPadding);
            const Result<std::size_t> got = text_->read(buffer_.data() + size_, kPiece);
            if (!got) return got.error();
            size_ += *got;
            std::memset(buffer_.data() + size_, 0, kTextPadding);
            at_end_ = *got < kPiece;
        }
        drop(source);
        return {};
    }

    void drop(uint64_t source) {
        const auto passed =
            static_cast<std::size_t>(std::min<uint64_t>(source - std::min(source, offset_), size_));
        begin_ += passed;
        offset_ += passed;
        size_ -= passed;
    }

    // Reads the event member by member, as the scanner does: in damaged text the event's brackets
    // need not match.
    bool read_event(JsonCursor at) {
        std::string_view raw;
        return read_members(at, [&](std::string_view name) {
            if (name != "args" || *at.p != '{') return at.read_value(raw);
            return read_members(at, [&](std::string_view key) {
                if (!at.read_value(raw) || raw.empty()) return false;
                arguments_.push_back({key, without_quotes(raw), raw.front() == '"', true});
                return true;
            });
        });
    }

    std::shared_ptr<InputFile> file_;
    std::unique_ptr<Decompressor> text_;
    std::vector<char> buffer_;  // the text from offset_ on is buffer_[begin_, begin_ + size_)
    std::size_t begin_ = 0;
    std::size_t size_ = 0;
    uint64_t offset_ = 0;
    bool at_end_ = false;
    std::vector<RawArgument> arguments_;
};

}  // namespace

std::vector<Argument> resolved(std::span<const RawArgument> raw) {
    std::vector<Argument> list;
    list.reserve(raw.size());
    for (const RawArgument& one : raw) {
        const bool to_resolve = one.is_string && one.has_escapes;
        list.push_back({one.has_escapes ? repair_text(one.name) : std::string(one.name),
                        to_resolve ? repair_text(one.value) : std::string(one.value),
                        one.is_string});
    }
    return list;
}

std::unique_ptr<ArgumentScan> make_json_argument_scan(std::shared_ptr<InputFile> file,
                                                      Compression compression) {
    return std::make_unique<JsonArgumentScan>(std::move(file), compression);
}

}  // namespace lanescope
