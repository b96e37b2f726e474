// The annotations of events: named values, which may be lists and dictionaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ingest/perfetto/annotation_texts.h"

namespace lanescope {

// Texts of annotations, as one packet sees them. `texts` may be null.
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

// One annotation. Its views are those of the message and of the reader's texts.
struct Annotation {
    std::string_view name;
    AnnotationKind kind = AnnotationKind::none;
    uint64_t bits = 0;         // of a number, real or boolean
    std::string_view text;     // of a text; of `json`: the text if the file has one
    std::string_view message;  // of a list or dictionary

    int64_t integer() const { return static_cast<int64_t>(bits); }
};

// Throws protozero::exception.
Annotation read_annotation(std::string_view message, const AnnotationReader& reader);

// The value: the text itself for texts, else JSON on one line as PyTorch writes it. Throws
// protozero::exception.
std::string annotation_value(const Annotation& annotation, const AnnotationReader& reader);

// A whole number, also if it is written as a text or as a real number.
std::optional<int64_t> annotation_integer(const Annotation& annotation);

std::string quoted_annotation(std::string_view text);

}  // namespace lanescope
