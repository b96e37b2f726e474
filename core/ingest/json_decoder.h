// Reads the text of a Chrome or Kineto JSON trace with several workers into a builder.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/ingest/load.h"
#include "core/ingest/trace_builder.h"
#include "core/source/text_source.h"

namespace lanescope {

// Called by the one worker that feeds the builder, between two blocks.
using BetweenBlocks = std::function<void(const TraceBuilder&)>;

// The result does not depend on the number of workers or on how the source cuts its blocks. Errors:
// cannot be read, is no trace, cancelled.
Result<void> decode_json(TextSource& source, TraceBuilder& builder, const std::string& path,
                         unsigned workers, LoadProgress* progress,
                         const BetweenBlocks& between_blocks);

}  // namespace lanescope
