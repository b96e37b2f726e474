// ShortNames: names for tables and panels. Different kernels of a trace have different short names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

struct ShortNames {
    std::unordered_map<StringId, std::string> shortened;  // the names that differ from their text

    // The short form of a name. For GPU work: kernel_label(), with a suffix if several names of the
    // trace have the same label; at most kLongestLabel characters. For other names: compact_name().
    std::string_view of(const Trace& trace, StringId name) const {
        const auto found = shortened.find(name);
        return found == shortened.end() ? trace.strings[name] : std::string_view(found->second);
    }

    static ShortNames compute(const TraceContext& context);
};

// Makes labels unique: labels that several names share get a suffix from what distinguishes the
// names, or else a number derived from the name. Labels stay at their index, and depend only on the
// set of names.
void tell_apart(std::span<const std::string_view> names, std::span<std::string> labels);

}  // namespace lanescope
