// Tar archives, plain or compressed: headers, each followed by its content.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "core/base/format.h"
#include "core/source/archive_readers.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr uint64_t kMostNameBytes = uint64_t{1} << 20;
constexpr std::size_t kSkipPiece = std::size_t{1} << 20;

// A field with octal digits, or with a base-256 number if its first bit is set.
std::optional<uint64_t> tar_number(std::string_view field) {
    if (!field.empty() && static_cast<unsigned char>(field.front()) == 0x80) {
        uint64_t value = 0;
        for (const char c : field.substr(1)) {
            if (value >> 56 != 0) return std::nullopt;
            value = value << 8 | static_cast<unsigned char>(c);
        }
        return value;
    }
    field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, 8);
    if (error != std::errc())
        return field.find_first_not_of(std::string_view("\0 ", 2)) == std::string_view::npos
                   ? std::optional<uint64_t>(0)
                   : std::nullopt;
    return value;
}

std::string_view tar_text(std::string_view field) {
    return field.substr(0, std::min(field.find('\0'), field.size()));
}

// The decompressed archive. Skips parts of a plain file without reading them.
class TarText {
  public:
    TarText(const std::shared_ptr<InputFile>& file, Compression compression)
        : file_(*file), is_plain_(compression == Compression::none) {
        if (!is_plain_) text_ = read_in_order(file, compression);
    }

    Result<std::size_t> read(char* into, std::size_t bytes) {
        Result<std::size_t> got =
            is_plain_ ? file_.read_at(at_, into, bytes) : text_->read(into, bytes);
        if (got) at_ += *got;
        return got;
    }

    // Returns false if the archive ends first.
    Result<bool> skip(uint64_t bytes, const std::atomic<bool>* cancel) {
        if (is_plain_) {
            const bool inside = bytes <= file_.size() - std::min(at_, file_.size());
            at_ = inside ? at_ + bytes : file_.size();
            return inside;
        }
        std::vector<char> piece(std::min<uint64_t>(bytes, kSkipPiece));
        while (bytes > 0) {
            if (cancel && cancel->load()) return visit_cancelled(file_);
            const auto step = static_cast<std::size_t>(std::min<uint64_t>(bytes, piece.size()));
            Result<std::size_t> got = read(piece.data(), step);
            if (!got) return got.error();
            if (*got < step) return false;
            bytes -= step;
        }
        return true;
    }

    uint64_t at() const { return at_; }

  private:
    const InputFile& file_;
    bool is_plain_;
    std::unique_ptr<Decompressor> text_;
    uint64_t at_ = 0;
};

class TarContent final : public ArchiveContent {
  public:
    TarContent(TarText& text, uint64_t bytes) : text_(text), left_(bytes) {}

    Result<std::size_t> read(char* into, std::size_t bytes) override {
        const auto wanted = static_cast<std::size_t>(std::min<uint64_t>(bytes, left_));
        Result<std::size_t> got = text_.read(into, wanted);
        if (!got) return got;
        left_ -= *got;
        if (*got < wanted)
            return Error{ErrorCode::damaged, text_.at(),
                         "the tar archive is cut short within this file"};
        return got;
    }

    uint64_t left() const { return left_; }

  private:
    TarText& text_;
    uint64_t left_;
};

// What extension headers state about the next entry.
struct TarExtras {
    std::string name;
    std::optional<uint64_t> bytes;
    bool is_sparse = false;
};

// Parses POSIX records: "LENGTH KEY=VALUE\n".
void take_pax(std::string_view text, TarExtras& extras) {
    while (!text.empty()) {
        std::size_t length = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
        const auto begin = static_cast<std::size_t>(end - text.data()) + 1;
        if (error != std::errc() || length > text.size() || length <= begin) return;
        const std::string_view record = text.substr(begin, length - begin - 1);
        text.remove_prefix(length);
        const std::size_t equals = std::min(record.find('='), record.size());
        const std::string_view key = record.substr(0, equals);
        const std::string_view value = record.substr(std::min(equals + 1, record.size()));
        uint64_t bytes = 0;
        if (key == "path") extras.name = value;
        if (key == "size" &&
            std::from_chars(value.data(), value.data() + value.size(), bytes).ec == std::errc())
            extras.bytes = bytes;
        if (key.starts_with("GNU.sparse.")) extras.is_sparse = true;
    }
}

std::string why_refused(char type, const TarExtras& extras) {
    if (type == '1' || type == '2') return "is a link, which is not followed";
    if (type == 'S' || extras.is_sparse) return "is stored with holes; unpack it first";
    if (type != '0' && type != '\0' && type != '7') return "is not a regular file";
    return {};
}

std::string name_in(std::string_view header) {
    const std::string_view name = tar_text(header.substr(0, 100));
    const std::string_view prefix = tar_text(header.substr(345, 155));
    const bool has_prefix = header.substr(257, 6) == std::string_view("ustar\0", 6);
    if (!has_prefix || prefix.empty()) return std::string(name);
    return fmt::format("{}/{}", prefix, name);
}

std::string cut_after(std::size_t entries) {
    return fmt::format("the tar archive is cut short after {} files", entries);
}

}  // namespace

bool is_tar_header(std::string_view block) {
    if (block.size() < kTarBlock) return false;
    constexpr std::size_t kSumAt = 148;
    constexpr std::size_t kSumBytes = 8;
    uint64_t sum = 0;
    for (std::size_t i = 0; i < kTarBlock; ++i)
        sum += i - kSumAt < kSumBytes ? ' ' : static_cast<unsigned char>(block[i]);
    return sum > kSumBytes * ' ' && tar_number(block.substr(kSumAt, kSumBytes)) == sum;
}

Result<std::string> visit_tar(const std::shared_ptr<InputFile>& archive, Compression compression,
                              const VisitEntry& visit, const std::atomic<bool>* cancel) {
    TarText text(archive, compression);
    TarExtras extras;
    std::string header(kTarBlock, '\0');
    for (std::size_t entries = 0;;) {
        if (cancel && cancel->load()) return visit_cancelled(*archive);
        Result<std::size_t> got = text.read(header.data(), header.size());
        if (!got) return got.error();
        if (*got < header.size()) return cut_after(entries);
        if (header.find_first_not_of('\0') == std::string::npos) return std::string();
        const std::optional<uint64_t> size = tar_number(std::string_view(header).substr(124, 12));
        if (!is_tar_header(header) || !size)
            return fmt::format("the tar archive is damaged after {} files", entries);
        const char type = header[156];
        const uint64_t bytes = extras.bytes.value_or(*size);
        TarContent content(text, bytes);
        const bool is_extra = type == 'L' || type == 'x' || type == 'K' || type == 'g';
        if (is_extra && bytes <= kMostNameBytes) {
            std::string value(bytes, '\0');
            if (!content.read(value.data(), value.size())) return cut_after(entries);
            if (type == 'L') extras.name = tar_text(value);
            if (type == 'x') take_pax(value, extras);
        } else if (!is_extra) {
            ArchiveEntry entry{extras.name.empty() ? name_in(header) : extras.name, bytes,
                               why_refused(type, extras)};
            extras = {};
            if (type != '5' && !entry.name.ends_with('/')) {
                check_name(entry);
                ++entries;
                NoContent none;
                const Result<bool> go_on =
                    entry.refused.empty() ? visit(entry, content) : visit(entry, none);
                if (!go_on) return go_on.error();
                if (!*go_on) return std::string();
            }
        }
        const Result<bool> skipped =
            text.skip(content.left() + (kTarBlock - bytes % kTarBlock) % kTarBlock, cancel);
        if (!skipped) return skipped.error();
        if (!*skipped) return cut_after(entries);
    }
}

}  // namespace lanescope
