// A summary as sentences for people and as JSON for scripts.
#pragma once

#include <string>

#include "core/analysis/summary.h"
#include "core/export/text_grid.h"

namespace lanescope {

// What `trace` holds, the story first: a sentence a row. Printable.
Table summary_table(const TraceContext& context, const Summary& summary);

// At most some 40 lines of 100 columns. Wrapped at 100 columns where the style has no width.
std::string summary_as_text(const TraceContext& context, const Summary& summary,
                            const TextStyle& style = {});

// Keys only ever get added. Times in ns, sizes in bytes; null where a value is not known.
std::string summary_as_json(const TraceContext& context, const Summary& summary);

// "GPU 0", or "GPU 0 of 4711" where the trace has that ordinal in several processes.
std::string device_label(const Trace& trace, const Summary& summary, uint32_t device);

}  // namespace lanescope
