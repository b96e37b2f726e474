// JsonDocument: parses the frame of a trace file in order: its top-level members, and where its
// events are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/ingest/build/trace_builder.h"
#include "core/ingest/json/json_scanner.h"

namespace lanescope {

class JsonDocument {
  public:
    // `worker`: the id under which the document's own scanner passes batches to the builder.
    // `time_base`: see JsonScanner.
    JsonDocument(TraceBuilder& builder, std::string path, unsigned worker, int64_t time_base);

    // True between two elements, where a block that another scanner read from here can be used.
    bool inside_events() const {
        return mode_ == Mode::events && carry_.empty() && !place_.after_comma && !place_.is_first;
    }

    // Parses the next piece of the text, which begins at `offset`. Errors: the text is not a trace.
    Result<void> feed(std::string_view text, uint64_t offset, bool last);

    // Accepts the next piece, which was already scanned into a batch that the builder has taken, up
    // to `outcome`.
    Result<void> feed_scanned(std::string_view text, uint64_t offset, const ScanOutcome& outcome,
                              bool last);

    // To be called after the last piece. Errors: there was no list of events.
    Result<void> finish();

  private:
    enum class Mode : uint8_t { start, members, events, done };

    Result<void> read(std::string_view text, bool last);
    bool read_start(std::string_view text, std::size_t& at, Result<void>& result);
    bool read_member(std::string_view text, std::size_t& at);
    bool read_events(std::string_view text, std::size_t& at, bool last);
    void warn_garbage(uint64_t offset);
    void keep(std::string_view text, std::size_t from);
    Error not_a_trace(uint64_t offset, std::string_view why) const;

    TraceBuilder& builder_;
    std::string path_;
    JsonScanner scanner_;
    Batch batch_;
    Mode mode_ = Mode::start;
    ListPlace place_;          // of the event list
    bool in_garbage_ = false;  // between members: invalid text that was already reported
    bool bare_list_ = false;
    bool seen_events_ = false;
    uint64_t offset_ = 0;       // of carry_ in the text
    std::string carry_;         // text that is not read yet
    std::size_t retry_at_ = 0;  // text size at which to retry
    std::string first_member_;
};

}  // namespace lanescope
