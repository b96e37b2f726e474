#include "core/ingest/whole_json/json_text.h"

#include <fmt/format.h>

#include <algorithm>

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

// Calls take(name, value as written) for each member that is shown. False if the object is not
// whole up to where nothing more is needed.
template <typename Take>
bool for_each_shown(JsonCursor at, const ObjectArguments& shown, const Take& take) {
    if (at.at_end() || *at.p != '{') return false;
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
    return whole || is_enough;
}

class ObjectReader final : public ArgumentReader {
  public:
    ObjectReader(const TraceInput& input, ObjectArguments shown)
        : path_(input.file->path()),
          reader_(input.file, input.compression, input.gzip_index),
          shown_(std::move(shown)) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        for (std::size_t bytes = kFirstRead;; bytes *= 8) {
            Result<std::string> text = reader_.read(source, bytes);
            if (!text) return text.error();
            const std::size_t size = text->size();
            text->append(kTextPadding, '\0');
            std::vector<Argument> list;
            if (!text->starts_with('{')) return list;  // of an event without an object
            const auto take = [&](std::string_view name, std::string_view raw) {
                list.push_back({repair_text(name), json_plain(raw), raw.front() == '"'});
            };
            if (for_each_shown({text->data(), text->data() + size}, shown_, take)) return list;
            if (size < bytes || bytes >= kLongestObject)
                return Error{
                    ErrorCode::damaged, source,
                    fmt::format("{}: there is no whole object at byte {}; has the file changed?",
                                path_, source)};
        }
    }

  private:
    std::string path_;
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
            if (for_each_shown({text->data(), text->data() + text->size()}, shown_, take))
                return std::span<const RawArgument>(list_);
            if (text_.at_end() || bytes >= kLongestObject || text->empty() || text->front() != '{')
                return std::span<const RawArgument>();
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

Result<JsonText> JsonText::read(const ReadJob& job, TraceBuilder& builder) {
    const TraceInput& input = job.input;
    const std::unique_ptr<Decompressor> from =
        read_in_order(input.file, input.compression, input.gzip_index);
    JsonText text;
    if (input.compression == Compression::none)
        text.text_.reserve(input.file->size() + kPiece + kTextPadding);
    for (;;) {
        if (job.is_cancelled()) return cancelled(input);
        const uint64_t limit = job.options.memory_bytes;
        if (limit != 0 && text.size_ + kPiece + job.options.memory_held > limit)
            return too_large(job, text.size_ + kPiece + job.options.memory_held);
        text.text_.resize(text.size_ + kPiece + kTextPadding);
        const Result<std::size_t> got = from->read(text.text_.data() + text.size_, kPiece);
        if (!got) return got.error();
        text.size_ += *got;
        if (job.options.progress) job.options.progress->bytes_done.store(from->file_bytes_done());
        if (*got < kPiece) break;
    }
    text.text_.resize(text.size_ + kTextPadding);
    std::fill(text.text_.begin() + static_cast<std::ptrdiff_t>(text.size_), text.text_.end(), '\0');
    if (const TextEnd end = from->end(); end.truncated)
        builder.warn("truncated_file", end.file_offset,
                     end.reason + "; everything before it was read");
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

std::unique_ptr<ArgumentReader> read_object_arguments(const TraceInput& input,
                                                      ObjectArguments shown) {
    return std::make_unique<ObjectReader>(input, std::move(shown));
}

std::unique_ptr<ArgumentScan> scan_object_arguments(const TraceInput& input,
                                                    ObjectArguments shown) {
    return std::make_unique<ObjectScan>(input, std::move(shown));
}

}  // namespace lanescope
