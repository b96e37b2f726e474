#include "core/ingest/json/json_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/json/json_cursor.h"
#include "core/ingest/json/text_repair.h"
#include "core/ingest/json/unescaped_text.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kAhead = std::size_t{64} << 10;    // most events are shorter
constexpr std::size_t kLongest = std::size_t{16} << 20;  // longer text is not an event

enum class Quotes : uint8_t { escaped, bare };

// Calls take(key, value as written) for each argument of the event at `at`. False if the event is
// not whole. Reads member by member, as the scanner does: in damaged text the event's brackets need
// not match.
template <typename Take>
bool for_each_argument(JsonCursor at, Quotes in_name, const Take& take) {
    std::string_view raw;
    std::string_view unescaped;
    if (in_name == Quotes::bare && find_unescaped_name(at, unescaped) != UnescapedText::whole)
        return false;
    return read_members(at, [&](std::string_view name) {
        if (unescaped.data() && name == "name") {
            at.p = unescaped.data() + unescaped.size() + 1;
            return true;
        }
        if (name != "args" || *at.p != '{') return at.read_value(raw);
        return read_members(at, [&](std::string_view key) {
            if (!at.read_value(raw) || raw.empty()) return false;
            take(key, raw);
            return true;
        });
    });
}

class JsonArgumentReader final : public ArgumentReader {
  public:
    JsonArgumentReader(TextReader reader, std::string path)
        : reader_(std::move(reader)), path_(std::move(path)) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        for (std::size_t bytes = std::size_t{16} << 10;; bytes *= 8) {
            Result<std::string> text = reader_.read(source, bytes);
            if (!text) return text.error();
            const std::size_t size = text->size();
            text->append(kTextPadding, '\0');
            std::vector<Argument> arguments;
            for (const Quotes quotes : {Quotes::escaped, Quotes::bare}) {
                arguments.clear();
                if (size > 0 && text->front() == '{' &&
                    read_arguments({text->data(), text->data() + size}, quotes, arguments))
                    return arguments;
            }
            if (size < bytes || text->front() != '{')
                return Error{
                    ErrorCode::damaged, source,
                    fmt::format("{}: there is no whole event at byte {}; has the file changed?",
                                path_, source)};
        }
    }

  private:
    static bool read_arguments(const JsonCursor& at, Quotes in_name,
                               std::vector<Argument>& arguments) {
        return for_each_argument(at, in_name, [&](std::string_view key, std::string_view raw) {
            const bool is_string = raw.front() == '"';
            arguments.push_back({repair_text(key),
                                 is_string ? repair_text(without_quotes(raw)) : std::string(raw),
                                 is_string});
        });
    }

    TextReader reader_;
    std::string path_;
};

class JsonArgumentScan final : public ArgumentScan {
  public:
    JsonArgumentScan(std::shared_ptr<InputFile> file, Compression compression)
        : text_(std::move(file), compression) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        for (std::size_t ahead = kAhead;; ahead *= 8) {
            const Result<std::string_view> text = text_.read(source, std::min(ahead, kLongest));
            if (!text) return text.error();
            if (text->empty() || text->front() != '{') break;
            if (take_arguments(*text, Quotes::escaped) || take_arguments(*text, Quotes::bare))
                return std::span<const RawArgument>(arguments_);
            if (text_.at_end() || ahead >= kLongest) break;
        }
        return std::span<const RawArgument>();
    }

    uint64_t file_bytes_done() const override { return text_.file_bytes_done(); }
    uint64_t file_bytes() const override { return text_.file_bytes(); }

  private:
    bool take_arguments(std::string_view text, Quotes in_name) {
        arguments_.clear();
        return for_each_argument(
            {text.data(), text.data() + text.size()}, in_name,
            [&](std::string_view key, std::string_view raw) {
                arguments_.push_back({key, without_quotes(raw), raw.front() == '"', true});
            });
    }

    ForwardText text_;
    std::vector<RawArgument> arguments_;
};

}  // namespace

std::unique_ptr<ArgumentReader> make_json_argument_reader(TextReader reader, std::string path) {
    return std::make_unique<JsonArgumentReader>(std::move(reader), std::move(path));
}

std::unique_ptr<ArgumentScan> make_json_argument_scan(std::shared_ptr<InputFile> file,
                                                      Compression compression) {
    return std::make_unique<JsonArgumentScan>(std::move(file), compression);
}

}  // namespace lanescope
