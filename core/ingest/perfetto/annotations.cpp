#include "core/ingest/perfetto/annotations.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/ingest/json/json_number.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

constexpr int kDeepestAnnotation = 60;

namespace field {
constexpr uint32_t kNameId = 1;
constexpr uint32_t kBool = 2;
constexpr uint32_t kUnsigned = 3;
constexpr uint32_t kInteger = 4;
constexpr uint32_t kDouble = 5;
constexpr uint32_t kText = 6;
constexpr uint32_t kPointer = 7;
constexpr uint32_t kNested = 8;
constexpr uint32_t kJson = 9;
constexpr uint32_t kName = 10;
constexpr uint32_t kDict = 11;
constexpr uint32_t kArray = 12;
constexpr uint32_t kMessage = 14;
constexpr uint32_t kTextId = 17;
}  // namespace field

std::string real_as_json(double value) {
    // JSON cannot express these values.
    if (std::isnan(value)) return "\"NaN\"";
    if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return nlohmann::json(value).dump();
}

// Writers that cannot express these values write them as texts.
bool stands_for_nothing(std::string_view text) {
    return text == "[]" || text == "{}" || text == "null";
}

void append_value(std::string& out, const Annotation& annotation, const AnnotationReader& reader,
                  int depth);

// Appends the items of a list or dictionary.
void append_items(std::string& out, std::string_view message, const AnnotationReader& reader,
                  int depth) {
    bool is_dict = false;
    bool is_first = true;
    std::string items;
    for (WireMessage in(message); in.next();) {
        if (!in.is_bytes() || (in.field() != field::kDict && in.field() != field::kArray)) continue;
        if (!is_first) items += ", ";
        is_first = false;
        const Annotation item = read_annotation(in.bytes(), reader);
        if (in.field() == field::kDict) {
            is_dict = true;
            items += quoted_annotation(item.name) + ": ";
        }
        append_value(items, item, reader, depth + 1);
    }
    out += is_dict ? '{' : '[';
    out += items;
    out += is_dict ? '}' : ']';
}

// Fields of the older form of lists and dictionaries: 1 kind (1 dict, 2 array), 2 keys, 3 values of
// a dict, 4 values of an array, 5 integer, 6 real, 7 boolean, 8 text.
void append_nested(std::string& out, std::string_view message, int depth) {
    if (depth > kDeepestAnnotation) {
        out += "null";
        return;
    }
    uint64_t kind = 0;
    std::vector<std::string_view> keys, values, items;
    std::string scalar = "null";
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) kind = in.number();
        if (in.field() == 2 && in.is_bytes()) keys.push_back(in.bytes());
        if (in.field() == 3 && in.is_bytes()) values.push_back(in.bytes());
        if (in.field() == 4 && in.is_bytes()) items.push_back(in.bytes());
        if (in.field() == 5 && !in.is_bytes()) scalar = std::to_string(in.signed_number());
        if (in.field() == 6 && !in.is_bytes()) scalar = real_as_json(in.real());
        if (in.field() == 7 && !in.is_bytes()) scalar = in.number() ? "true" : "false";
        if (in.field() == 8 && in.is_bytes()) scalar = quoted_annotation(in.bytes());
    }
    if (kind == 1 || !values.empty()) {
        out += '{';
        for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
            out += (i == 0 ? "" : ", ") + quoted_annotation(keys[i]) + ": ";
            append_nested(out, values[i], depth + 1);
        }
        out += '}';
    } else if (kind == 2 || !items.empty()) {
        out += '[';
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i > 0) out += ", ";
            append_nested(out, items[i], depth + 1);
        }
        out += ']';
    } else {
        out += scalar;
    }
}

void append_value(std::string& out, const Annotation& annotation, const AnnotationReader& reader,
                  int depth) {
    switch (annotation.kind) {
        case AnnotationKind::none:
            out += "[]";
            break;
        case AnnotationKind::number:
            out += std::to_string(annotation.integer());
            break;
        case AnnotationKind::unsigned_number:
            out += std::to_string(annotation.bits);
            break;
        case AnnotationKind::real:
            out += real_as_json(std::bit_cast<double>(annotation.bits));
            break;
        case AnnotationKind::boolean:
            out += annotation.bits ? "true" : "false";
            break;
        case AnnotationKind::text:
            out += depth > 0 && !stands_for_nothing(annotation.text)
                       ? quoted_annotation(annotation.text)
                       : std::string(annotation.text);
            break;
        case AnnotationKind::json:
            if (!annotation.text.empty())
                out += annotation.text;
            else if (depth > kDeepestAnnotation)
                out += "null";
            else if (annotation.bits != 0)
                append_nested(out, annotation.message, depth);
            else
                append_items(out, annotation.message, reader, depth);
            break;
    }
}

}  // namespace

std::string quoted_annotation(std::string_view text) {
    return nlohmann::json(std::string(text))
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Annotation read_annotation(std::string_view message, const AnnotationReader& reader) {
    Annotation result;
    const auto set = [&](AnnotationKind kind, uint64_t bits) {
        result.kind = kind;
        result.bits = bits;
    };
    for (WireMessage in(message); in.next();) {
        const bool is_bytes = in.is_bytes();
        switch (in.field()) {
            case field::kNameId:
                if (!is_bytes) result.name = reader.name(in.number());
                break;
            case field::kName:
                if (is_bytes) result.name = in.bytes();
                break;
            case field::kBool:
                if (!is_bytes) set(AnnotationKind::boolean, in.number());
                break;
            case field::kUnsigned:
            case field::kPointer:
                if (!is_bytes) set(AnnotationKind::unsigned_number, in.number());
                break;
            case field::kInteger:
                if (!is_bytes) set(AnnotationKind::number, in.number());
                break;
            case field::kDouble:
                if (!is_bytes) set(AnnotationKind::real, std::bit_cast<uint64_t>(in.real()));
                break;
            case field::kText:
            case field::kTextId:
                set(AnnotationKind::text, 0);
                result.text = is_bytes ? in.bytes() : reader.value(in.number());
                break;
            case field::kJson:
                if (is_bytes) set(AnnotationKind::json, 0);
                result.text = in.bytes();
                break;
            case field::kNested:
                if (is_bytes) set(AnnotationKind::json, 1);
                result.message = in.bytes();
                break;
            case field::kDict:
            case field::kArray:
                if (is_bytes) set(AnnotationKind::json, 0);
                result.message = message;
                break;
            case field::kMessage:
                if (is_bytes) set(AnnotationKind::text, 0);
                result.text = "a message of a type that is not read";
                break;
            default:
                break;
        }
    }
    return result;
}

std::string annotation_value(const Annotation& annotation, const AnnotationReader& reader) {
    std::string out;
    append_value(out, annotation, reader, 0);
    return is_utf8(out) ? out : repair_bytes(out);
}

std::optional<int64_t> annotation_integer(const Annotation& annotation) {
    switch (annotation.kind) {
        case AnnotationKind::number:
        case AnnotationKind::unsigned_number:
        case AnnotationKind::boolean:
            return annotation.integer();
        case AnnotationKind::real:
            return parse_integer(real_as_json(std::bit_cast<double>(annotation.bits)));
        case AnnotationKind::text:
            return parse_integer(annotation.text);
        default:
            return std::nullopt;
    }
}

}  // namespace lanescope
