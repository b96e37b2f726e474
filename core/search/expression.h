// What people type to find slices: words that must all hold, read once into terms.
//
//   gemm "aten::add"      a part of the name, the category or an argument kept with the slice
//   re:^aten::.*mm$       a regular expression (RE2) on the same
//   cat:kernel name:relu  in the category's, the name's, the lane's (lane:) text alone
//   dur>1ms dur<=3us dur=1ms..2ms
//   args:128              in an argument that is not kept: its name, its value, or name=value
//   tid:7 pid:python stream:7
//   kernel, kind:operator what kind of work
//   -word                 must not hold
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
    text,     // names, categories, arguments that were interned
    pattern,  // likewise
    name,     // in one text alone: substring
    category,
    lane,
    arguments,  // all of them, read from the file: see argument_search.h
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
    Nanos least = 0;  // of a duration, both included
    Nanos most = std::numeric_limits<Nanos>::max();
};

struct SearchExpression {
    std::vector<SearchTerm> terms;

    bool empty() const { return terms.empty(); }
};

// An error's byte_offset is the place in the text that is wrong.
Result<SearchExpression> parse_search(std::string_view text);

// Whether `text` holds `lower`, which is in lower case; A to Z count as a to z.
bool holds_text(std::string_view text, std::string_view lower);

}  // namespace lanescope
