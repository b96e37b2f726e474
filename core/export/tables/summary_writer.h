// A summary as sentences for people and as JSON for scripts.
#pragma once

#include <string>

#include "core/export/tables/text_grid.h"
#include "core/insight/findings/rule.h"
#include "core/insight/summary/summary.h"

namespace lanescope {

// The contents of `trace`, beginning with the story: one sentence a row. Printable.
Table summary_table(const TraceContext& context, const Summary& summary);

// At most some 40 lines, wrapped at the style's width, or at 100 columns if it has none.
std::string summary_as_text(const TraceContext& context, const Summary& summary,
                            const TextStyle& style = {});

// Later versions only add keys. Times in ns, sizes in bytes; unknown values are null.
std::string summary_as_json(const TraceContext& context, const Summary& summary);

// Likewise with a story that names findings (findings_story()).
Table summary_table(const TraceContext& context, const Findings& found);
std::string summary_as_text(const TraceContext& context, const Findings& found,
                            const TextStyle& style = {});
std::string summary_as_json(const TraceContext& context, const Findings& found);

}  // namespace lanescope
