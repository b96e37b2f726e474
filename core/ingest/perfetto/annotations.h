// Annotations of events: named values, including lists and dictionaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ingest/perfetto/annotation_texts.h"

namespace lanescope {

// Texts of annotations, valid for one packet. `texts` may be null.
struct AnnotationReader {
    const StringPool& pool;
    const InternedTexts* texts;

    std::string_view name(uint64_t id) const { return texts ? at(texts->names, id) : ""; }
    std::string_view value(uint64_t id) const { return texts ? at(texts->values, id) : ""; }

  private:
    std::string_view at(const InternedMap<StringId>& map, uint64_t id) const {
        const StringId* const found = map.find(id);
        return found ? pool[*found] : std::string_view();
    }
};

enum class AnnotationKind : uint8_t { none, number, unsigned_number, real, boolean, text, json };

// One annotation. Its views refer to the message and to the reader's texts.
struct Annotation {
    std::string_view name;
    AnnotationKind kind = AnnotationKind::none;
    uint64_t bits = 0;         // bits of a number, real or boolean
    std::string_view text;     // value of a text; for `json`, the text as written
    std::string_view message;  // message of a list or dictionary

    int64_t integer() const { return static_cast<int64_t>(bits); }
};

// Throws protozero::exception.
Annotation read_annotation(std::string_view message, const AnnotationReader& reader);

// The value: a text unchanged, any other value as JSON on one line, in PyTorch's style. Throws
// protozero::exception.
std::string annotation_value(const Annotation& annotation, const AnnotationReader& reader);

// An integer, also if written as text or as a real number.
std::optional<int64_t> annotation_integer(const Annotation& annotation);

std::string quoted_annotation(std::string_view text);

}  // namespace lanescope
