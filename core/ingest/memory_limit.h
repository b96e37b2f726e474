// MemoryLimit ends a load before it needs more memory than allowed.
//
// The memory of the builder is known while the file is read. The peak of the load is estimated from
// it: finishing a trace sorts and nests the collected columns, and each worker holds blocks of
// text, their events, and its own texts. The factors were measured on files with a single kind of
// event each (slices with side tables, flows, pairs, counters, instants; few and many lanes), with
// 1 to 16 workers: the estimate was 1.03 to 3 times the peak of the process.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/ingest/build/trace_builder.h"

namespace lanescope {

struct MemoryNeed {
    uint64_t held = 0;  // bytes of the finished trace
    uint64_t peak = 0;  // peak in bytes while the trace is read and finished
};
// Estimates the memory of a load from the data that its builder has collected so far.
MemoryNeed memory_need(const TraceBuilder& builder, unsigned workers);

class MemoryLimit {
  public:
    // `limit`: bytes; 0: no limit. `held`: bytes of earlier loads under the same limit.
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
