// Searching arguments that a trace does not keep: its file is read once more, and what is found is
// told on the way.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>

#include "core/search/matches.h"

namespace lanescope {

// Shared with the thread that watches a search; every member may be read at any time.
struct ArgumentProgress {
    std::atomic<uint64_t> bytes_done{0};   // of the files as they lie on disk
    std::atomic<uint64_t> bytes_total{0};  // 0: not known yet
    std::atomic<bool> stop{false};         // set it to stop the search

    // 0 to 1.
    double part() const;
};

// Whether there is a term about arguments that are not kept.
bool reads_arguments(const SearchExpression& expression);

// The slices for which all terms hold, of what begins in the range. `files`: the traces of the
// files that `trace` is joined of, in its order; itself, when it is of one. Only slices for which
// all other terms hold are looked up. `on_found` is called now and then, on the caller's thread,
// with what was found by then; a search that is stopped gives that too. Beside the bits it holds
// a few tens of MB, however large the files are. Errors: a file that has changed, or cannot be read
// again.
Result<Matches> search_arguments(const TracePtr& trace, std::span<const TracePtr> files,
                                 const SearchExpression& expression, std::optional<TimeRange> range,
                                 ArgumentProgress& progress,
                                 const std::function<void(Matches)>& on_found = {});

}  // namespace lanescope
