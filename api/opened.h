// lanescope_trace: an opened file, or several that were joined.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/failure.h"
#include "api/lanescope.h"
#include "core/analysis/context.h"
#include "core/base/result.h"
#include "core/insight/facts.h"
#include "core/sql/source.h"
#include "core/trace/join.h"

// Any number of threads may read it.
struct lanescope_trace {
    ~lanescope_trace();

    // The source that the tables of single events read. It is made on first use.
    std::shared_ptr<lanescope::SqlSource> events();

    lanescope::JoinedTrace joined;
    lanescope::SpecsBookPtr specs;
    std::vector<std::string> paths;  // as given; the name of a stream
    lanescope::LoadCost cost;        // of all files
    std::unique_ptr<const lanescope::TraceContext> context;
    std::string folder;  // of a stream's copy, removed with the trace; empty: none

  private:
    std::mutex mutex_;
    std::shared_ptr<lanescope::SqlSource> events_;
};

namespace lanescope {

struct OpenOptions {
    std::string align;
    std::string specs;
};

// Asks the caller whether to go on while other threads work.
struct Watch {
    lanescope_progress progress = nullptr;
    void* user = nullptr;
};

// Runs `work` on another thread while `progress` is asked on this one, or on this thread if there
// is no `progress`. `set_done` fills the numbers for `progress`; `cancel` makes `work` end early.
void run_watched(const Watch& watch, const std::function<void()>& work,
                 const std::function<void(uint64_t& done, uint64_t& total)>& numbers,
                 const std::function<void()>& cancel);

// Loads and joins files.
lanescope_status open_files(std::vector<std::string> paths, const OpenOptions& options,
                            const Watch& watch, std::unique_ptr<lanescope_trace>& opened);

// Copies what `read` returns into a file of this name in a new temporary folder. Errors: the copy
// cannot be written, `read` failed, or it was cancelled; then nothing is left.
Result<std::string> copy_of_stream(lanescope_read read, void* read_user, const std::string& name,
                                   const Watch& watch);
// Removes that copy and its folder.
void remove_copy(const std::string& folder);

}  // namespace lanescope
