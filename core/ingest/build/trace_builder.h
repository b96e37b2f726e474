// TraceBuilder: takes batches in file order and builds a Trace from them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/ingest/build/batch.h"
#include "core/trace/trace.h"

namespace lanescope {

struct BuilderState;

// Fills what a format knows of a whole trace: FileFacts::format and producer, devices, the time
// base, often from Trace::metadata.
using DescribeTrace = std::function<void(Trace&)>;

class TraceBuilder {
  public:
    // Begins with the texts, categories and ids of `vocabulary`; null: with none. `describe` is
    // called for every trace that the builder returns.
    explicit TraceBuilder(const Trace* vocabulary = nullptr, DescribeTrace describe = {});
    ~TraceBuilder();
    TraceBuilder(const TraceBuilder&) = delete;
    TraceBuilder& operator=(const TraceBuilder&) = delete;

    // The batches of one worker must come in the order in which it made them. The texts of a batch
    // must stay valid until the call returns, and longer if a later batch of the worker refers to
    // them; decoders keep them until the end.
    void append(const Batch& batch);
    // Registers a batch's texts and lanes without taking its events.
    void learn_names(const Batch& batch);

    // Adds a top-level member of the file beside its events; `value` is JSON.
    void add_metadata(std::string name, std::string value);
    void warn(const std::string& code, uint64_t byte_offset, std::string_view text);

    uint64_t event_count() const;

    // The trace of what has come so far; the builder remains usable.
    Trace snapshot(unsigned workers) const;
    // The trace of everything; the builder is empty afterwards. Uses `workers` threads.
    Trace finish(unsigned workers);

    // For callers that continue with the collected data (live_trace.cpp).
    BuilderState& state() { return *state_; }

  private:
    std::unique_ptr<BuilderState> state_;
    DescribeTrace describe_;
};

}  // namespace lanescope
