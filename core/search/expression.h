// The search syntax: words that must all match, parsed once into terms.
//
//   gemm "aten::add"      part of the name, the category or an argument stored with the slice
//   re:^aten::.*mm$       a regular expression (RE2) on the same texts
//   cat:kernel name:relu  only in the category, the name or the lane's name (lane:)
//   dur>1ms dur<=3us dur=1ms..2ms
//   args:128              an argument that is not stored: its name, its value, or name=value
//   tid:7 pid:python stream:7
//   kernel, kind:operator the kind of work
//   -word                 must not match
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/trace/category.h"

namespace re2 {
class RE2;
}

namespace lanescope {

enum class TermKind : uint8_t {
    text,     // names, categories, interned arguments
    pattern,  // likewise, with a regular expression
    name,     // in one text only: substring
    category,
    lane,
    arguments,  // all arguments, read from the file: see argument_search.h
    duration,
    thread,  // equal to the id
    process,
    stream,
    event_class,
};

struct SearchTerm {
    TermKind kind = TermKind::text;
    bool negated = false;
    EventClass event_class = EventClass::other;
    std::string text;  // substrings in lower case
    std::shared_ptr<const re2::RE2> pattern;
    Nanos min = 0;  // duration bounds, both inclusive
    Nanos max = std::numeric_limits<Nanos>::max();
};

struct SearchExpression {
    std::vector<SearchTerm> terms;

    bool empty() const { return terms.empty(); }
};

// An error's byte_offset is the position of the error in the text.
Result<SearchExpression> parse_search(std::string_view text);

// Whether `text` contains `lower`, which must be lower case; A to Z in `text` match a to z.
bool holds_text(std::string_view text, std::string_view lower);

}  // namespace lanescope
