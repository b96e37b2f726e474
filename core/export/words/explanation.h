// Explains an event in a sentence or two, for people who see its name for the first time.
#pragma once

#include <span>
#include <string_view>

#include "core/trace/category.h"

namespace lanescope {

// A line of assets/explanations.tsv, which is embedded in the program.
struct Explanation {
    std::string_view kind;     // event_class_name() of the events; "-": any event
    std::string_view pattern;  // of names: * matches any text, ? one character
    std::string_view example;  // a name that matches the pattern
    std::string_view text;
    std::string_view link;  // where to read more
};

// All explanations. The first match applies; the last lines match any name of a kind.
std::span<const Explanation> explanations();

// The explanation of an event of this name and class; null if none matches, which the last lines of
// the file prevent.
const Explanation* explain(std::string_view name, EventClass event_class);

// Whether the whole name matches the pattern.
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace lanescope
