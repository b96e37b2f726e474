// Opens any supported file and builds its trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/source/file.h"
#include "core/trace/trace.h"

namespace lanescope {

// Shared with the thread that watches a load; every member may be read at any time.
struct LoadProgress {
    std::atomic<uint64_t> bytes_done{0};   // of the file as it lies on disk
    std::atomic<uint64_t> bytes_total{0};  // 0: unknown (a pipe)
    std::atomic<uint64_t> events{0};
    std::atomic<bool> cancel{false};  // set it to stop the load
};

struct LoadOptions {
    unsigned workers = 0;  // 0: one for each core
    // How the text is split; 0: as suits the file's size. Results never depend on it.
    std::size_t block_bytes = 0;
    LoadProgress* progress = nullptr;
    // If set: texts and categories have the ids that they have there, and new ones follow them, so
    // that the two can be joined (core/trace/join.h).
    TracePtr vocabulary;
    bool launch_queues = false;  // with curves of the launch queues: for who draws the trace
    // Called, if set, now and then while loading with a trace of what has been read so far.
    std::function<void(TracePtr)> on_snapshot;
};

// Bad events are counted in Trace::warnings; only a file that cannot be read, is of another format,
// or holds no event at all is an error. "-" or a pipe is read as a stream.
Result<TracePtr> load_trace(const std::string& path, const LoadOptions& options = {});

// What Trace::source is of a spool file.
std::shared_ptr<const void> spool_source(std::shared_ptr<InputFile> file);

// A reader for the arguments of the trace's events; it opens trace.path again on first use.
std::unique_ptr<ArgumentReader> open_arguments(const TracePtr& trace);

}  // namespace lanescope
