#include "core/session/load_so_far.h"

#include "core/ingest/load.h"

namespace lanescope {

Result<TracePtr> load_so_far(const std::string& path) {
    LoadOptions options;
    options.workers = 1;
    return load_trace(path, options);
}

}  // namespace lanescope
