// Opens any supported file and builds its trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/source/file.h"
#include "core/trace/kernel_classes.h"
#include "core/trace/trace.h"

namespace lanescope {

// Shared with the thread that watches a load; every member may be read at any time.
struct LoadProgress {
    std::atomic<uint64_t> bytes_done{0};   // of the file on disk
    std::atomic<uint64_t> bytes_total{0};  // 0: unknown (a pipe)
    std::atomic<uint64_t> events{0};
    // Approximate size of the loaded trace; set at the end of the load.
    std::atomic<uint64_t> bytes_held{0};
    std::atomic<bool> cancel{false};  // set it to stop the load
    // The file is first copied from another machine; bytes_done then counts what has arrived.
    std::atomic<bool> copying{false};
    std::atomic<uint64_t> bytes_copied{0};  // size of the complete temporary copy; 0: none
};

inline constexpr unsigned kMostWorkers = 64;

struct LoadOptions {
    unsigned workers = 0;  // 0: one for each core; at most kMostWorkers
    // If above 0, a load that would need more memory fails with ErrorCode::no_memory: see
    // memory_limit.h.
    uint64_t memory_bytes = 0;
    // Memory of earlier loads under the same limit: LoadProgress::bytes_held.
    uint64_t memory_held = 0;
    // Size of the blocks that the text is split into; 0: chosen by the file's size. Never affects
    // the result.
    std::size_t block_bytes = 0;
    LoadProgress* progress = nullptr;
    // If set, this open file is read, and the path is only its name.
    std::shared_ptr<InputFile> file;
    // If set, texts and categories of this trace keep their ids and new ones follow, so that the
    // two traces can be joined (core/trace/join.h).
    TracePtr vocabulary;
    bool derived_lanes = false;  // add lanes that are derived from others, for drawing
    // Traces of captures of graphs that the trace replays (core/replays/graph_replays.h).
    std::vector<TracePtr> graph_captures;
    // If set, called for a trace with graph replays, unless `graph_captures` or `file` are given.
    // The second argument has these options, with the trace's size in `memory_held`.
    std::function<std::vector<TracePtr>(Trace&, const LoadOptions&)> find_captures;
    // If set, called for a trace whose file does not state compiled code, unless `file` is given.
    // The files read become facts of the trace, and problems become warnings.
    std::function<std::shared_ptr<const CompiledCode>(Trace&)> find_compiled_code;
    KernelClassesPtr kernel_classes;  // null: kernels are classified by name only
    // If set, called from time to time during the load with a trace of what has been read so far.
    std::function<void(TracePtr)> on_snapshot;
};

// Loads a trace. Bad events are counted in Trace::warnings. Errors: the file cannot be read, has
// another format, contains no event, or needs more memory than allowed. "-" and pipes are read as
// streams.
Result<TracePtr> load_trace(const std::string& path, const LoadOptions& options = {});

// The Trace::source of a spool file.
std::shared_ptr<const void> spool_source(std::shared_ptr<InputFile> file);

// Loads captures for LoadOptions::graph_captures. `paths`: their files. Takes workers and limits
// from `like`, and adds the captures' size to its `memory_held`. Errors name the file.
Result<std::vector<TracePtr>> load_graph_captures(const std::vector<std::string>& paths,
                                                  LoadOptions& like);

// A reader for the arguments of the trace's events; opens trace.path again on first use.
std::unique_ptr<ArgumentReader> open_arguments(const TracePtr& trace);

}  // namespace lanescope
