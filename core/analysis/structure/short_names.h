// ShortNames: names that tables and panels show. No two kernels of a trace have the same one.
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

    // The short form of a name. For GPU work: kernel_label(), followed by a suffix if several names
    // of the trace have the same label; at most kLongestLabel characters. For other names:
    // compact_name().
    std::string_view of(const Trace& trace, StringId name) const {
        const auto found = shortened.find(name);
        return found == shortened.end() ? trace.strings[name] : std::string_view(found->second);
    }

    static ShortNames compute(const TraceContext& context);
};

// Different labels for different names: a label that several names have gets what the names differ
// in, or else a number made from the name. Labels stay in place and depend on the set of names
// only.
void tell_apart(std::span<const std::string_view> names, std::span<std::string> labels);

}  // namespace lanescope
