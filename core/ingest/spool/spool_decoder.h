// Reads a spool file into batches: the whole file, or what was added since the last call.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/build/batch.h"
#include "core/ingest/spool/spool_blocks.h"
#include "core/trace/trace.h"

namespace lanescope {

// The receiver of the decoder's output. All batches come from worker 0.
struct SpoolSink {
    std::function<void(const Batch&)> batch;
    std::function<void(const std::string& code, uint64_t byte_offset, std::string_view text)> warn;
    std::function<bool()> stop;  // if set and true, reading stops between two blocks
};

class SpoolDecoder {
  public:
    // Errors: not a spool file, or of another version.
    static Result<std::unique_ptr<SpoolDecoder>> open(std::shared_ptr<InputFile> file);
    ~SpoolDecoder();
    SpoolDecoder(const SpoolDecoder&) = delete;
    SpoolDecoder& operator=(const SpoolDecoder&) = delete;

    // Reads every complete record written since the last call; returns their size in bytes. Errors:
    // the file cannot be read.
    Result<uint64_t> read_on(const SpoolSink& sink);
    // Emits the ranges that are still open, up to the last time of their process, and reports what
    // was lost. To be called once, at the end.
    void finish(const SpoolSink& sink);

    // Ranges that have not ended, as complete events up to the last known time; in a process that
    // has ended, up to the process's last time.
    std::vector<Batch> open_ranges();
    // The number of lost records so far, as far as the file says.
    uint64_t dropped_records() const;

    // True if the recorder has finished and everything that it wrote was read.
    bool is_complete() const;
    const SpoolHeader& header() const;
    // Members of the trace beside its events; values are JSON.
    std::vector<std::pair<std::string, std::string>> metadata() const;
    std::vector<Device> devices() const;

    struct State;  // spool_state.h

  private:
    explicit SpoolDecoder(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Whether a file begins like a spool.
bool is_spool(std::string_view first_bytes);

}  // namespace lanescope
