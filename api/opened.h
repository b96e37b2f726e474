// lanescope_trace: an opened file, or several that were joined.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/failure.h"
#include "api/lanescope.h"
#include "api/options.h"
#include "core/analysis/context.h"
#include "core/base/result.h"
#include "core/ingest/load.h"
#include "core/insight/summary/facts.h"
#include "core/session/companions.h"
#include "core/session/joined_traces.h"
#include "core/source/file.h"
#include "core/sql/source.h"

// Any number of threads may read it.
struct lanescope_trace {
    // The source that the tables of single events read. It is made on first use.
    std::shared_ptr<lanescope::SqlSource> events();

    lanescope::AlignedTrace joined;
    lanescope::Evidence evidence;    // beside each file
    std::vector<std::string> paths;  // as given; the name of a stream
    bool is_stream = false;          // the path is only a name
    lanescope::LoadCost cost;        // of all files
    std::unique_ptr<const lanescope::TraceContext> context;

  private:
    std::mutex mutex_;
    std::shared_ptr<lanescope::SqlSource> events_;
};

namespace lanescope {

struct OpenOptions {
    std::string align;
    std::string specs;
    Companions companions;
    PositiveCount workers = {0, kMostWorkers};
    PositiveCount memory;  // in bytes
};

// Asks the caller whether to go on while other threads work.
struct Watch {
    lanescope_progress progress = nullptr;
    void* user = nullptr;
};
inline constexpr std::chrono::milliseconds kAskEvery(100);

// Runs `work` on another thread while `progress` is asked on this one, or on this thread if there
// is no `progress`. `set_done` fills the numbers for `progress`; `cancel` makes `work` end early.
void run_watched(const Watch& watch, const std::function<void()>& work,
                 const std::function<void(uint64_t& done, uint64_t& total)>& numbers,
                 const std::function<void()>& cancel);

// Loads and joins files. `stream`: if set, this file is read, and `paths` has only its name.
lanescope_status open_files(std::vector<std::string> paths, const OpenOptions& options,
                            const Watch& watch, std::unique_ptr<lanescope_trace>& opened,
                            const std::shared_ptr<InputFile>& stream = {});

struct StreamOptions {
    std::string name = "stream";
    std::size_t size = 0;  // in bytes; 0: unknown
};

// Copies the stream that `read` returns into a temporary file, whose space is freed when the file
// is closed. Errors: the stream does not fit into the temporary folder, `read` failed or ended
// before the stream's size, the stream is empty, or `watch` cancelled the copy.
Result<std::shared_ptr<InputFile>> copy_of_stream(lanescope_read read, void* read_user,
                                                  const StreamOptions& options, const Watch& watch);

}  // namespace lanescope
