// Searches arguments that a trace does not store: reads its file once more, and reports matches on
// the way.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>

#include "core/search/matches.h"

namespace lanescope {

// Shared with the thread that watches a search; every member may be read at any time.
struct ArgumentProgress {
    std::atomic<uint64_t> bytes_done{0};   // of the files on disk
    std::atomic<uint64_t> bytes_total{0};  // 0: not known yet
    std::atomic<bool> stop{false};         // set it to stop the search

    // The fraction of the files that was read, 0 to 1.
    double part() const;
};

// Whether some term refers to arguments that are not stored.
bool reads_arguments(const SearchExpression& expression);

// The slices that begin in the range and match all terms. `files`: the traces of the joined files,
// in the order of `trace`; for a single file, the trace itself. Only slices that match all other
// terms are looked up in the file. `on_found` is called from time to time, on the caller's thread,
// with the matches so far; a stopped search returns its matches so far too. Besides the bits, needs
// a few tens of MB regardless of the files' size. Errors: a file has changed or cannot be read
// again.
Result<Matches> search_arguments(const TracePtr& trace, std::span<const TracePtr> files,
                                 const SearchExpression& expression, std::optional<TimeRange> range,
                                 ArgumentProgress& progress,
                                 const std::function<void(Matches)>& on_found = {});

}  // namespace lanescope
