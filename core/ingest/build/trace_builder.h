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

// A format's last steps, when all events are known. The builder takes them for every trace that it
// returns.
struct FormatSteps {
    // Completes roles of lanes and names of processes before these are sorted; null: nothing to do.
    void (*complete_lanes)(BuilderState&) = nullptr;
    // Fills the facts of a whole trace: FileFacts::format and producer, the time base,
    // often from Trace::metadata.
    std::function<void(Trace&)> describe;
};

class TraceBuilder {
  public:
    // Begins with the texts, categories and ids of `vocabulary`; null: with none.
    explicit TraceBuilder(const Trace* vocabulary = nullptr, FormatSteps format = {});
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
    void add_device(Device device);
    void set_compiled_code(std::shared_ptr<const CompiledCode> code);
    void warn(const std::string& code, uint64_t byte_offset, std::string_view text);
    // Sets the time to which the times of all events are relative: see FileFacts::time_base_us.
    void set_time_base(int64_t microseconds);

    uint64_t event_count() const;
    const BuilderState& state() const { return *state_; }

    // The trace of what has come so far; the builder remains usable.
    Trace snapshot(unsigned workers) const;
    // The trace of everything; the builder is empty afterwards. Uses `workers` threads.
    Trace finish(unsigned workers);

    // For callers that continue with the collected data (live_trace.cpp).
    BuilderState& state() { return *state_; }

  private:
    std::unique_ptr<BuilderState> state_;
    Trace finished(BuilderState state, unsigned workers) const;

    FormatSteps format_;
};

}  // namespace lanescope
