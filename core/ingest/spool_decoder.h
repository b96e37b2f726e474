// Reads a spool file into batches: all at once, or what has come since the last time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/batch.h"
#include "core/ingest/spool_blocks.h"

namespace lanescope {

// Where the decoder puts what it finds. Batches come from worker 0.
struct SpoolSink {
    std::function<void(const Batch&)> batch;
    std::function<void(const std::string& code, uint64_t byte_offset, std::string_view text)> warn;
    std::function<bool()> stop;  // if set: true ends the reading between two blocks
};

class SpoolDecoder {
  public:
    // Errors: no spool file, or one of another version.
    static Result<std::unique_ptr<SpoolDecoder>> open(std::shared_ptr<InputFile> file);
    ~SpoolDecoder();
    SpoolDecoder(const SpoolDecoder&) = delete;
    SpoolDecoder& operator=(const SpoolDecoder&) = delete;

    // Takes every whole record written since the last call; gives their bytes. Errors: the file
    // cannot be read.
    Result<uint64_t> read_on(const SpoolSink& sink);
    // Gives the ranges that are still open, up to the last time of their process, and says what was
    // lost. To be called once, last.
    void finish(const SpoolSink& sink);

    // Ranges that have not ended, as complete events up to what was last heard of anything (of a
    // process that has ended: of it).
    std::vector<Batch> open_ranges();
    // Records that were lost so far, as far as the file tells.
    uint64_t dropped_records() const;

    // True when the recorder has finished, and all that it wrote was taken.
    bool is_complete() const;
    const SpoolHeader& header() const;
    // Members that a trace of it has beside its events; values are JSON.
    std::vector<std::pair<std::string, std::string>> metadata() const;

    struct State;  // spool_state.h

  private:
    explicit SpoolDecoder(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Whether a file begins as a spool does.
bool is_spool(std::string_view first_bytes);

}  // namespace lanescope
