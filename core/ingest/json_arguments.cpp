#include "core/ingest/json_arguments.h"

#include <fmt/format.h>

#include "core/ingest/json_cursor.h"
#include "core/ingest/text_repair.h"

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
            JsonCursor cursor{text->data(), text->data() + size};
            if (size > 0 && *cursor.p == '{' && cursor.skip_container())
                return arguments_of(
                    {text->data(), static_cast<std::size_t>(cursor.p - text->data())});
            if (size < bytes || *text->data() != '{')
                return Error{
                    ErrorCode::damaged, source,
                    fmt::format("{}: there is no whole event at byte {}; has the file changed?",
                                path_, source)};
        }
    }

  private:
    static std::vector<Argument> arguments_of(std::string_view event) {
        std::vector<Argument> arguments;
        for_each_member(event, [&](std::string_view name, std::string_view value) {
            if (name != "args" || value.front() != '{') return;
            for_each_member(value, [&](std::string_view key, std::string_view raw) {
                const bool is_string = raw.front() == '"';
                arguments.push_back(
                    {repair_text(key),
                     is_string ? repair_text(without_quotes(raw)) : std::string(raw), is_string});
            });
        });
        return arguments;
    }

    TextReader reader_;
    std::string path_;
};

}  // namespace

std::unique_ptr<ArgumentReader> make_json_argument_reader(TextReader reader, std::string path) {
    return std::make_unique<JsonArgumentReader>(std::move(reader), std::move(path));
}

}  // namespace lanescope
