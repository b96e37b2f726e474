#include "core/ingest/perfetto/packet_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_line.h"
#include "core/base/utf8.h"
#include "core/ingest/perfetto/annotations.h"
#include "core/ingest/perfetto/event_fields.h"
#include "core/source/compressed.h"

namespace lanescope {

namespace {

constexpr std::size_t kFirstRead = std::size_t{16} << 10;
constexpr uint64_t kLongestEvent = uint64_t{256} << 20;

// A position in the file's text, or in the content of a compressed packet.
struct PositionInText {
    uint64_t offset = 0;
    const InflatedPart* part = nullptr;  // null: in the text itself
};

PositionInText find_position(const AnnotationTexts& memory, uint64_t source) {
    const auto after = std::ranges::upper_bound(memory.parts, source, {}, &InflatedPart::begin);
    if (after == memory.parts.begin()) return {source, nullptr};
    const InflatedPart& part = *(after - 1);
    if (source < part.end) return {source - part.begin, &part};
    return {part.text_end + (source - part.end), nullptr};
}

// Reads a complete field. ReadText reads the text at an offset.
template <typename ReadText>
Result<std::string> read_whole_field(const ReadText& read, uint64_t offset) {
    Result<std::string> text = read(offset, kFirstRead);
    if (!text) return text.error();
    const std::optional<FieldPlace> place = read_field_place(*text);
    if (!place || place->size > kLongestEvent) return std::string();
    const uint64_t whole = place->begin + place->size;
    if (text->size() < whole) text = read(offset, static_cast<std::size_t>(whole));
    if (!text || text->size() < whole) return text ? Result<std::string>(std::string()) : text;
    text->resize(whole);
    return text;
}

class PacketArguments final : public ArgumentReader {
  public:
    explicit PacketArguments(const TraceInput& input)
        : path_(input.file->path()),
          reader_(input.file, input.compression, input.gzip_index),
          memory_(std::static_pointer_cast<AnnotationTexts>(input.memory)) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        const PositionInText at = find_position(*memory_, source);
        const Result<std::string> field = at.part ? read_inside(at) : read_text(at.offset);
        if (!field) return field.error();
        if (field->empty())
            return Error{
                ErrorCode::damaged, source,
                fmt::format("{}: there is no whole event at byte {}; has the file changed?", path_,
                            source)};
        return arguments_of_field(*field, source, *memory_);
    }

  private:
    Result<std::string> read_text(uint64_t offset) {
        return read_whole_field(
            [this](uint64_t from, std::size_t bytes) { return reader_.read(from, bytes); }, offset);
    }

    Result<std::string> read_inside(const PositionInText& at) {
        if (part_ != at.part) {
            const Result<std::string> field = read_text(at.part->text_begin);
            if (!field) return field.error();
            const std::optional<FieldPlace> place = read_field_place(*field);
            const auto content =
                place ? inflated_packet(std::string_view(*field).substr(place->begin))
                      : std::nullopt;
            content_ = content.value_or(std::string());
            part_ = at.part;
        }
        return read_whole_field(
            [this](uint64_t from, std::size_t bytes) {
                return Result<std::string>(from > content_.size() ? std::string()
                                                                  : content_.substr(from, bytes));
            },
            at.offset);
    }

    std::string path_;
    TextReader reader_;
    std::shared_ptr<const AnnotationTexts> memory_;
    const InflatedPart* part_ = nullptr;  // the part whose content is in content_
    std::string content_;
};

class PacketArgumentScan final : public ArgumentScan {
  public:
    explicit PacketArgumentScan(const TraceInput& input)
        : text_(input.file, input.compression),
          memory_(std::static_pointer_cast<AnnotationTexts>(input.memory)) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        raw_.clear();
        const PositionInText at = find_position(*memory_, source);
        const Result<std::string_view> field = at.part ? read_inside(at) : read_text(at.offset);
        if (!field) return field.error();
        arguments_ = arguments_of_field(*field, source, *memory_);
        for (const Argument& argument : arguments_)
            raw_.push_back({argument.name, argument.value, argument.is_string, false});
        return std::span<const RawArgument>(raw_);
    }
    uint64_t file_bytes_done() const override { return text_.file_bytes_done(); }
    uint64_t file_bytes() const override { return text_.file_bytes(); }

  private:
    Result<std::string_view> read_text(uint64_t offset) {
        Result<std::string_view> text = text_.read(offset, kFirstRead);
        if (!text) return text;
        const std::optional<FieldPlace> place = read_field_place(*text);
        if (!place || place->size > kLongestEvent) return std::string_view();
        const auto whole = static_cast<std::size_t>(place->begin + place->size);
        if (text->size() < whole) text = text_.read(offset, whole);
        if (!text || text->size() < whole)
            return text ? Result<std::string_view>(std::string_view()) : text;
        return text->substr(0, whole);
    }

    Result<std::string_view> read_inside(const PositionInText& at) {
        if (part_ != at.part) {
            const Result<std::string_view> field = read_text(at.part->text_begin);
            if (!field) return field;
            const std::optional<FieldPlace> place = read_field_place(*field);
            const auto content =
                place ? inflated_packet(field->substr(place->begin)) : std::nullopt;
            content_ = content.value_or(std::string());
            part_ = at.part;
        }
        const std::string_view rest =
            std::string_view(content_).substr(std::min<uint64_t>(at.offset, content_.size()));
        const std::optional<FieldPlace> place = read_field_place(rest);
        if (!place || place->size > rest.size() - place->begin) return std::string_view();
        return rest.substr(0, place->begin + place->size);
    }

    ForwardText text_;
    std::shared_ptr<const AnnotationTexts> memory_;
    const InflatedPart* part_ = nullptr;
    std::string content_;
    std::vector<Argument> arguments_;
    std::vector<RawArgument> raw_;
};

}  // namespace

std::unique_ptr<ArgumentReader> read_packet_arguments(const TraceInput& input) {
    return std::make_unique<PacketArguments>(input);
}

std::unique_ptr<ArgumentScan> scan_packet_arguments(const TraceInput& input) {
    return std::make_unique<PacketArgumentScan>(input);
}

}  // namespace lanescope
