#include "core/ingest/json/json_arguments.h"

#include <fmt/format.h>

#include "core/ingest/json/json_cursor.h"
#include "core/ingest/json/text_repair.h"

namespace lanescope {

namespace {

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
            if (size > 0 && text->front() == '{' &&
                read_arguments({text->data(), text->data() + size}, arguments))
                return arguments;
            if (size < bytes || text->front() != '{')
                return Error{
                    ErrorCode::damaged, source,
                    fmt::format("{}: there is no whole event at byte {}; has the file changed?",
                                path_, source)};
        }
    }

  private:
    // Reads the event member by member, as the scanner does: in damaged text the event's brackets
    // need not match.
    static bool read_arguments(JsonCursor at, std::vector<Argument>& arguments) {
        std::string_view raw;
        return read_members(at, [&](std::string_view name) {
            if (name != "args" || *at.p != '{') return at.read_value(raw);
            return read_members(at, [&](std::string_view key) {
                if (!at.read_value(raw) || raw.empty()) return false;
                const bool is_string = raw.front() == '"';
                arguments.push_back(
                    {repair_text(key),
                     is_string ? repair_text(without_quotes(raw)) : std::string(raw), is_string});
                return true;
            });
        });
    }

    TextReader reader_;
    std::string path_;
};

}  // namespace

std::unique_ptr<ArgumentReader> make_json_argument_reader(TextReader reader, std::string path) {
    return std::make_unique<JsonArgumentReader>(std::move(reader), std::move(path));
}

}  // namespace lanescope
