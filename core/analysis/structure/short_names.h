// ShortNames: compact_name() of every text of a trace, for tables whose rows are made when read.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

struct ShortNames {
    std::unordered_map<StringId, std::string> shortened;  // the names that differ from their text

    std::string_view of(const Trace& trace, StringId name) const {
        const auto found = shortened.find(name);
        return found == shortened.end() ? trace.strings[name] : std::string_view(found->second);
    }

    static ShortNames compute(const TraceContext& context);
};

}  // namespace lanescope
