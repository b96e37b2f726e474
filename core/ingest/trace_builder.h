// TraceBuilder: takes batches in the order of the file and makes a Trace of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/ingest/batch.h"
#include "core/trace/trace.h"

namespace lanescope {

struct BuilderState;

class TraceBuilder {
  public:
    // Begins with the texts and categories of `vocabulary`, with their ids; null: with none.
    explicit TraceBuilder(const Trace* vocabulary = nullptr);
    ~TraceBuilder();
    TraceBuilder(const TraceBuilder&) = delete;
    TraceBuilder& operator=(const TraceBuilder&) = delete;

    // The batches of one worker come in the order in which it made them. Texts of a batch need to
    // live only until its call returns when no later batch of the worker names them; decoders keep
    // them until the end.
    void append(const Batch& batch);
    // Tells the builder a batch's texts and lanes without taking its events.
    void learn_names(const Batch& batch);

    // A top-level member of the file beside its events; `value` is JSON.
    void add_metadata(std::string name, std::string value);
    void warn(const std::string& code, uint64_t byte_offset, std::string_view text);

    uint64_t event_count() const;

    // The trace of what has come so far; the builder goes on.
    Trace snapshot(unsigned workers) const;
    // The trace of everything; the builder is empty after it. Uses `workers` threads.
    Trace finish(unsigned workers);

    // For those who go on with what has been gathered (live_trace.cpp).
    BuilderState& state() { return *state_; }

  private:
    std::unique_ptr<BuilderState> state_;
};

}  // namespace lanescope
