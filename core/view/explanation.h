// What an event is, in a sentence or two, for who sees its name for the first time.
#pragma once

#include <span>
#include <string_view>

#include "core/trace/category.h"

namespace lanescope {

// A line of assets/explanations.tsv, which is part of the program.
struct Explanation {
    std::string_view kind;     // event_class_name() of what it is for; "-": of any event
    std::string_view pattern;  // of names: * stands for any text, ? for one character
    std::string_view example;  // a name that it is for
    std::string_view text;
    std::string_view link;  // where to read more
};

// All of them. The first that fits an event is its own; the last ones fit any name of a kind.
std::span<const Explanation> explanations();

// Of an event of that name and class; none fits: null, which the file's last lines rule out.
const Explanation* explain(std::string_view name, EventClass event_class);

// Whether the whole name fits the pattern.
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace lanescope
