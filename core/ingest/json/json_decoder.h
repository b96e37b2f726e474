// Reads a Chrome or Kineto JSON trace with several workers into a builder.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/ingest/build/trace_builder.h"
#include "core/ingest/load.h"
#include "core/source/text_source.h"

namespace lanescope {

// Called between two blocks by the worker that feeds the builder. Its error ends the load.
using BetweenBlocks = std::function<Result<void>(const TraceBuilder&)>;

// The result does not depend on the number of workers or on the source's block boundaries.
// `time_base`: see find_time_base(). Errors: the text cannot be read, it is not a trace, or
// cancelled.
Result<void> decode_json(TextSource& source, TraceBuilder& builder, const std::string& path,
                         unsigned workers, LoadProgress* progress,
                         const BetweenBlocks& between_blocks, int64_t time_base = 0);

}  // namespace lanescope
