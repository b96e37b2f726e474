#include "core/analysis/structure/short_names.h"

#include <utility>

#include "core/analysis/context.h"
#include "core/trace/short_name.h"

namespace lanescope {

ShortNames ShortNames::compute(const TraceContext& context) {
    const Trace& trace = context.trace();
    ShortNames names;
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        const std::string_view whole = trace.strings[id];
        if (std::string compact = compact_name(whole); compact != whole)
            names.shortened.emplace(id, std::move(compact));
    }
    return names;
}

}  // namespace lanescope
