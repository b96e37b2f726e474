// SqlSource: what the tables of one SQL connection read.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/context.h"
#include "core/sql/argument_values.h"
#include "core/sql/authorizer.h"
#include "core/sql/indexed_table.h"
#include "core/sql/slice_rows.h"
#include "core/trace/trace.h"

namespace lanescope {

// A table of a part of the trace, under its name and range.
struct RangedTable {
    std::string name;
    std::shared_ptr<IndexedTable> table;
};

// Used by one thread at a time, as its connection is.
struct SqlSource {
    SqlSource(TracePtr trace_, TraceContext context_)
        : owner(std::move(trace_)),
          trace(*owner),
          context(std::move(context_)),
          slices(trace),
          arguments(owner, slices, [this] { return is_stopped(); }) {}

    SqlSource(const SqlSource&) = delete;
    SqlSource& operator=(const SqlSource&) = delete;

    // Returns whether the running query must end, because it was cancelled or its time is over.
    bool is_stopped() const {
        if (cancel && cancel->load(std::memory_order_relaxed)) return true;
        return deadline && std::chrono::steady_clock::now() >= *deadline;
    }

    TracePtr owner;
    const Trace& trace;
    TraceContext context;
    SliceRows slices;
    ArgumentValues arguments;
    // The whole tables made so far, by their names.
    std::map<std::string, std::shared_ptr<IndexedTable>> tables;
    std::vector<RangedTable> ranged_tables;  // the ones that were used last
    SqlPermissions permissions;
    const std::atomic<bool>* cancel = nullptr;
    std::optional<std::chrono::steady_clock::time_point> deadline;
};

}  // namespace lanescope
