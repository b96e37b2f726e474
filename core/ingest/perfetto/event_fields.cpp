#include "core/ingest/perfetto/event_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_line.h"
#include "core/base/utf8.h"
#include "core/ingest/perfetto/annotations.h"
#include "core/ingest/perfetto/pftrace_fields.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

constexpr int kDeepestField = 16;
constexpr std::size_t kMostFields = 1000;
constexpr uint32_t kFtraceEvent = 2;  // field of a bundle

// A field with unknown meaning, as JSON: fields of messages by number.
std::string unknown_value(const WireMessage& in, int depth) {
    if (in.is_fixed64() || in.is_fixed32()) return std::to_string(in.signed_number());
    if (!in.is_bytes()) return std::to_string(in.signed_number());
    const std::string_view bytes = in.bytes();
    const bool is_text = is_utf8(bytes) && std::ranges::none_of(bytes, [](unsigned char c) {
                             return c < 32 && c != '\n' && c != '\t';
                         });
    if (is_text) return quoted_annotation(bytes);
    try {
        std::string object;
        std::size_t count = 0;
        for (WireMessage inner(bytes); inner.next() && depth < kDeepestField;) {
            if (++count > kMostFields) break;
            object += fmt::format("{}\"{}\": {}", object.empty() ? "" : ", ", inner.field(),
                                  unknown_value(inner, depth + 1));
        }
        return '{' + object + '}';
    } catch (const protozero::exception&) {
        return quoted_annotation(fmt::format("{} bytes", bytes.size()));
    }
}

class FieldList {
  public:
    FieldList(const AnnotationTexts& memory, const InternedTexts* texts)
        : memory_(memory), texts_(texts), reader_{memory.pool, texts} {}

    void add_event(std::string_view message) {
        for (WireMessage in(message); in.next();) add_event_field(in);
    }
    void add_stage(std::string_view message) {
        for (WireMessage in(message); in.next();) {
            if (in.field() == 6 && in.is_bytes())
                add_pair(in.bytes());
            else if (in.field() == 21 && in.is_bytes())
                add_launch(in.bytes());
            else
                add_number(stage_field(in.field()), in);
        }
    }
    void add_message(std::string_view message) {
        for (WireMessage in(message); in.next();)
            add_json(fmt::format("field {}", in.field()), unknown_value(in, 0));
    }
    std::vector<Argument> take() { return std::move(list_); }

  private:
    static std::string_view stage_field(uint32_t field) {
        switch (field) {
            case 1:
                return "event_id";
            case 5:
                return "context";
            case 8:
                return "render_target";
            case 9:
                return "render_pass";
            case 10:
                return "submission_id";
            case 11:
                return "gpu_id";
            case 12:
                return "command_buffer";
            case 18:
                return "event_wait_id";
            default:
                return "";  // names and times are shown elsewhere
        }
    }

    void add_text(std::string_view name, std::string_view value) {
        if (list_.size() < kMostFields)
            list_.push_back({repair_bytes(name), repair_bytes(value), true});
    }
    void add_json(std::string_view name, std::string value) {
        if (list_.size() >= kMostFields) return;
        const bool is_text = value.starts_with('"') && value.size() >= 2;
        if (!is_text) {
            list_.push_back({repair_bytes(name), std::move(value), false});
            return;
        }
        const auto parsed = nlohmann::json::parse(value, nullptr, false);
        add_text(name, parsed.is_string() ? parsed.get<std::string>() : value);
    }
    void add_number(std::string_view name, const WireMessage& in) {
        if (!name.empty() && !in.is_bytes())
            list_.push_back({std::string(name), std::to_string(in.number()), false});
    }

    void add_event_field(const WireMessage& in) {
        using namespace pftrace::event;
        switch (in.field()) {
            case kAnnotations:
                if (in.is_bytes()) add_annotation(in.bytes());
                return;
            case kLocation:
                if (in.is_bytes()) add_location(in.bytes());
                return;
            case kLocationId:
                if (const SourceLocation* const at =
                        texts_ ? texts_->locations.find(in.number()) : nullptr)
                    add_location(memory_.pool[at->file], memory_.pool[at->function], at->line);
                return;
            case kCorrelation:
                return add_number("correlation_id", in);
            case kCorrelationText:
                return add_text("correlation_id", in.bytes());
            case kCorrelationTextId:
                if (const StringId* const text =
                        texts_ ? texts_->correlations.find(in.number()) : nullptr)
                    add_text("correlation_id", memory_.pool[*text]);
                return;
            case kDelta:
            case kCategoryIds:
            case kLegacy:
            case kType:
            case kNameId:
            case kTrack:
            case kExtraValues:
            case kAbsolute:
            case kCategories:
            case kName:
            case kCounter:
            case kExtraTracks:
            case kDoubleCounter:
            case kExtraDoubleTracks:
            case kExtraDoubles:
            case kOldFlows:
            case kOldEndingFlows:
            case kFlows:
            case kEndingFlows:
            case 2:
            case 8:
            case 17:
            case 20:
                return;  // the event itself
            default: {
                const std::string_view known = name_of(in.field());
                add_json(known.empty() ? fmt::format("field {}", in.field()) : std::string(known),
                         unknown_value(in, 0));
            }
        }
    }

    void add_annotation(std::string_view message) {
        const Annotation annotation = read_annotation(message, reader_);
        if (annotation.kind == AnnotationKind::text && annotation.name == "metadata" &&
            add_members(annotation.text))
            return;
        std::string value = annotation_value(annotation, reader_);
        if (annotation.kind == AnnotationKind::text)
            add_text(annotation.name, value);
        else
            add_json(annotation.name, std::move(value));
    }

    // Kineto's writer puts all arguments into one text. False: the text has another form.
    bool add_members(std::string_view members) {
        if (!members.starts_with('"') || is_nested_deeply(members)) return false;
        const auto object =
            nlohmann::ordered_json::parse("{" + std::string(members) + "}", nullptr, false);
        if (!object.is_object()) return false;
        for (const auto& [name, value] : object.items())
            if (value.is_string())
                add_text(name, value.get<std::string>());
            else
                list_.push_back({name, json_on_one_line(value.dump()), false});
        return true;
    }

    void add_location(std::string_view message) {
        std::string_view file, function;
        int64_t line = -1;
        for (WireMessage in(message); in.next();) {
            if (in.field() == 2) file = in.bytes();
            if (in.field() == 3) function = in.bytes();
            if (in.field() == 4 && !in.is_bytes()) line = in.signed_number();
        }
        add_location(file, function, line);
    }
    void add_location(std::string_view file, std::string_view function, int64_t line) {
        if (!file.empty()) add_text("source.file", file);
        if (!function.empty()) add_text("source.function", function);
        if (line >= 0) add_json("source.line", std::to_string(line));
    }

    void add_pair(std::string_view message) {
        std::string_view name, value;
        for (WireMessage in(message); in.next();) {
            if (in.field() == 1) name = in.bytes();
            if (in.field() == 2) value = in.bytes();
        }
        add_text(name, value);
    }

    void add_launch(std::string_view message) {
        for (WireMessage in(message); in.next();) {
            if (!in.is_bytes()) continue;
            if (in.field() == 3) {
                add_launch_argument(in.bytes());
                continue;
            }
            std::string sizes;
            for (WireMessage of(in.bytes()); of.next();)
                if (!of.is_bytes())
                    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", of.number());
            if (in.field() == 1 || in.field() == 2)
                add_json(in.field() == 1 ? "grid" : "block", '[' + sizes + ']');
        }
    }
    void add_launch_argument(std::string_view message) {
        std::string_view name;
        std::string value;
        for (WireMessage in(message); in.next();) {
            if (in.field() == 1 && !in.is_bytes())
                if (const StringId* const text =
                        texts_ ? texts_->argument_names.find(in.number()) : nullptr)
                    name = memory_.pool[*text];
            if (in.field() == 2) name = in.bytes();
            if (in.field() == 3 || in.field() == 4) value = std::to_string(in.signed_number());
            if (in.field() == 5) value = fmt::format("{}", in.real());
            if (in.field() == 6) value = quoted_annotation(in.bytes());
        }
        if (!value.empty()) add_json(name, value);
    }

    const AnnotationTexts& memory_;
    const InternedTexts* texts_;
    AnnotationReader reader_;
    std::vector<Argument> list_;
};

}  // namespace

std::vector<Argument> arguments_of_field(std::string_view field, uint64_t source,
                                         const AnnotationTexts& memory) {
    const std::optional<FieldPlace> place = read_field_place(field);
    if (!place) return {};
    const std::string_view message = field.substr(place->begin);
    std::vector<Argument> list;
    try {
        if (place->field == kFtraceEvent) {
            FieldList fields(memory, nullptr);
            for (WireMessage in(message); in.next();)
                if (in.is_bytes()) fields.add_message(in.bytes());
            return fields.take();
        }
        uint32_t sequence = 0;
        for (WireMessage in(message); in.next();)
            if (in.field() == pftrace::packet::kSequence)
                sequence = static_cast<uint32_t>(in.number());
        FieldList fields(memory, memory.find(sequence, source));
        for (WireMessage in(message); in.next();) {
            if (!in.is_bytes()) continue;
            if (in.field() == pftrace::packet::kTrackEvent) fields.add_event(in.bytes());
            if (in.field() == pftrace::packet::kGpuStage) fields.add_stage(in.bytes());
            if (in.field() == pftrace::packet::kTaskState) fields.add_message(in.bytes());
        }
        list = fields.take();
    } catch (const protozero::exception&) {
        return list;
    }
    return list;
}

}  // namespace lanescope
