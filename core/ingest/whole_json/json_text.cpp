#include "core/ingest/whole_json/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/ingest/json/json_number.h"
#include "core/ingest/json/text_repair.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;
constexpr std::size_t kFirstRead = std::size_t{4} << 10;
constexpr std::size_t kLongestObject = std::size_t{16} << 20;

Error too_large(const ReadJob& job, uint64_t bytes) {
    return {ErrorCode::no_memory, Error::no_offset,
            fmt::format("{}: its text alone needs more than the {} MB of memory that are allowed "
                        "(at least {} MB)",
                        job.input.file->path(), job.options.memory_bytes / 1'000'000,
                        bytes / 1'000'000)};
}

bool holds_objects(JsonCursor at) {
    if (*at.p != '[') return false;
    ++at.p;
    at.skip_space();
    return !at.at_end() && *at.p == '{';
}

// Calls take(name, raw value) for each member to show, as long as the object is valid. False: the
// text ends within the object.
template <typename Take>
bool for_each_shown(JsonCursor at, const ObjectArguments& shown, const Take& take) {
    if (at.at_end() || *at.p != '{') return true;  // the event has no object
    bool is_enough = false;
    std::string_view raw;
    const bool whole = read_members(at, [&](std::string_view name) {
        is_enough = name == shown.rest && holds_objects(at);
        if (is_enough) return false;
        const bool is_spread = !shown.spread.empty() && name == shown.spread && *at.p == '{';
        if (is_spread)
            return read_members(at, [&](std::string_view inner) {
                if (!at.read_value(raw) || raw.empty()) return false;
                take(inner, raw);
                return true;
            });
        if (!at.read_value(raw) || raw.empty()) return false;
        if (std::ranges::find(shown.left_out, name) == shown.left_out.end()) take(name, raw);
        return true;
    });
    return whole || is_enough || !at.at_end();
}

class ObjectReader final : public ArgumentReader {
  public:
    ObjectReader(const TraceInput& input, ObjectArguments shown)
        : reader_(input.file, input.compression, input.gzip_index), shown_(std::move(shown)) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        for (std::size_t bytes = kFirstRead;; bytes *= 8) {
            Result<std::string> text = reader_.read(source, bytes);
            if (!text) return text.error();
            const std::size_t size = text->size();
            text->append(kTextPadding, '\0');
            std::vector<Argument> list;
            const auto take = [&](std::string_view name, std::string_view raw) {
                list.push_back({repair_text(name), json_plain(raw), raw.front() == '"'});
            };
            const bool is_enough =
                for_each_shown({text->data(), text->data() + size}, shown_, take);
            if (is_enough || size < bytes || bytes >= kLongestObject) return list;
        }
    }

  private:
    TextReader reader_;
    ObjectArguments shown_;
};

class ObjectScan final : public ArgumentScan {
  public:
    ObjectScan(const TraceInput& input, ObjectArguments shown)
        : text_(input.file, input.compression), shown_(std::move(shown)) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        for (std::size_t bytes = kFirstRead;; bytes *= 8) {
            const Result<std::string_view> text = text_.read(source, bytes);
            if (!text) return text.error();
            list_.clear();
            const auto take = [&](std::string_view name, std::string_view raw) {
                const bool is_text = raw.front() == '"';
                list_.push_back({name, without_quotes(raw), is_text, is_text});
            };
            const bool is_enough =
                for_each_shown({text->data(), text->data() + text->size()}, shown_, take);
            if (is_enough || text_.at_end() || bytes >= kLongestObject)
                return std::span<const RawArgument>(list_);
        }
    }
    uint64_t file_bytes_done() const override { return text_.file_bytes_done(); }
    uint64_t file_bytes() const override { return text_.file_bytes(); }

  private:
    ForwardText text_;
    ObjectArguments shown_;
    std::vector<RawArgument> list_;
};

}  // namespace

// Appends the next piece of the text.
Result<void> JsonText::append(Decompressor& from, bool& is_last) {
    text_.resize(size_ + kPiece + kTextPadding);
    const Result<std::size_t> got = from.read(text_.data() + size_, kPiece);
    if (!got) return got.error();
    size_ += *got;
    is_last = *got < kPiece;
    return {};
}

void JsonText::pad() {
    text_.resize(size_ + kTextPadding);
    std::fill(text_.begin() + static_cast<std::ptrdiff_t>(size_), text_.end(), '\0');
}

Result<JsonText> JsonText::read(const ReadJob& job, TraceBuilder& builder) {
    const TraceInput& input = job.input;
    const std::unique_ptr<Decompressor> from =
        read_in_order(input.file, input.compression, input.gzip_index);
    JsonText text;
    if (input.compression == Compression::none)
        text.text_.reserve(input.file->size() + kPiece + kTextPadding);
    for (bool is_last = false; !is_last;) {
        if (job.is_cancelled()) return cancelled(input);
        const uint64_t limit = job.options.memory_bytes;
        const uint64_t next = text.size_ + kPiece + job.options.memory_held;
        if (limit != 0 && next > limit) return too_large(job, next);
        if (const Result<void> got = text.append(*from, is_last); !got) return got.error();
        if (job.options.progress) job.options.progress->bytes_done.store(from->file_bytes_done());
    }
    text.pad();
    if (const TextEnd end = from->end(); end.truncated)
        builder.warn("truncated_file", end.file_offset,
                     end.reason + "; everything before it was read");
    return text;
}

Result<JsonText> JsonText::read_again(const TraceInput& input) {
    const std::unique_ptr<Decompressor> from = read_in_order(input.file, input.compression);
    JsonText text;
    for (bool is_last = false; !is_last;)
        if (const Result<void> got = text.append(*from, is_last); !got) return got.error();
    text.pad();
    return text;
}

JsonCursor JsonText::cursor() const {
    JsonCursor at{text_.data(), text_.data() + size_};
    if (std::string_view(at.p, size_).starts_with("\xef\xbb\xbf")) at.p += 3;
    at.skip_space();
    return at;
}

std::string_view JsonElements::next() {
    if (!is_open_) return {};
    is_open_ = false;
    at_.skip_space();
    is_cut_ = at_.at_end() || (!is_first_ && *at_.p != ',' && *at_.p != ']');
    if (is_cut_ || *at_.p == ']') return {};
    if (!is_first_) {
        ++at_.p;
        at_.skip_space();
    }
    is_first_ = false;
    std::string_view raw;
    is_cut_ = at_.at_end() || !at_.read_value(raw) || raw.empty();
    if (is_cut_) return {};
    is_open_ = true;
    return raw;
}

std::string json_plain(std::string_view raw) {
    return raw.starts_with('"') ? repair_text(without_quotes(raw)) : repair_text(raw);
}

std::optional<int64_t> json_integer(std::string_view raw) {
    int64_t number = 0;
    const char* const end = raw.data() + raw.size();
    const auto [stop, code] = std::from_chars(raw.data(), end, number);
    if (code == std::errc() && stop == end) return number;
    return parse_integer(raw);
}

std::vector<Argument> object_arguments(const JsonCursor& at, const ObjectArguments& shown) {
    std::vector<Argument> list;
    for_each_shown(at, shown, [&](std::string_view name, std::string_view raw) {
        list.push_back({repair_text(name), json_plain(raw), raw.front() == '"'});
    });
    return list;
}

std::unique_ptr<ArgumentReader> read_object_arguments(const TraceInput& input,
                                                      ObjectArguments shown) {
    return std::make_unique<ObjectReader>(input, std::move(shown));
}

std::unique_ptr<ArgumentScan> scan_object_arguments(const TraceInput& input,
                                                    ObjectArguments shown) {
    return std::make_unique<ObjectScan>(input, std::move(shown));
}

}  // namespace lanescope
