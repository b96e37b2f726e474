// MemoryLimit ends a load before it needs more memory than allowed.
//
// While the file is read, what the builder holds is known. What the load needs at its peak follows
// from it: finishing a trace sorts and nests the collected columns, and each worker has blocks of
// text, their events, and texts of its own. The factors were measured on files of a single kind of
// event each (slices with side tables, flows, pairs, counters, instants; few and many lanes), with
// 1 to 16 workers: the estimate was 1.03 to 3 times the peak of the process.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/ingest/build/trace_builder.h"

namespace lanescope {

struct MemoryNeed {
    uint64_t held = 0;  // by the finished trace
    uint64_t peak = 0;  // at the most, while it is read and finished
};
// The memory that a load needs, given what its builder has collected so far.
MemoryNeed memory_need(const TraceBuilder& builder, unsigned workers);

class MemoryLimit {
  public:
    // `limit`: 0 allows everything. `held`: what earlier loads under the same limit hold.
    MemoryLimit(uint64_t limit, uint64_t held, unsigned workers)
        : limit_(limit), held_(held), workers_(workers) {}

    // `done` of `total` bytes of the file have been read; `total` 0: unknown. Errors: the load
    // needs more than the limit allows; the text says how much the whole file would need.
    Result<void> check(const std::string& path, const TraceBuilder& builder, uint64_t done,
                       uint64_t total) const;

  private:
    uint64_t limit_;
    uint64_t held_;
    unsigned workers_;
};

}  // namespace lanescope
