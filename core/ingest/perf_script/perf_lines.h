// The lines of `perf script`: a header for each event, and below it the frames of its stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/nanos.h"

namespace lanescope {

// "comm pid/tid [cpu] time: period event: text". Every part but the time may be missing.
struct PerfHeader {
    std::string_view comm, pid, tid, cpu;  // empty: not printed
    std::string_view time;                 // as written, without the colon
    Nanos nanos = 0;
    std::string_view period, event;
    std::string_view text;  // what follows: fields of a tracepoint, or a frame
};
// Empty: the line is no header, or has no time.
std::optional<PerfHeader> read_perf_header(std::string_view line);

// "address symbol+0xoffset (dso)". Every part but one may be missing.
struct PerfFrame {
    std::string_view address, symbol, offset;
    std::string_view dso;  // "[unknown]": not known
    bool is_inlined = false;
};
// A line of a stack, which begins with white space; empty: it is none.
std::optional<PerfFrame> read_perf_frame(std::string_view line);
// Tells the frames of a stack from the source lines between them, which have no address.
class PerfStack {
  public:
    // Whether the stack's next line is a frame. Without any addresses, all lines are.
    bool take(const PerfFrame& frame);
    std::size_t count() const { return count_; }  // of frames so far

  private:
    bool has_addresses_ = false;
    std::size_t count_ = 0;
};

// A frame on the line of its header; empty: the header has another text, or none.
std::optional<PerfFrame> read_perf_frame_of_header(std::string_view line, const PerfHeader& header);

// Whether the text begins with lines of `perf script`: with a header, or with a comment and then a
// header. `has_times`: whether the first header has a time.
struct PerfStart {
    bool is_perf = false;
    bool has_times = false;
};
PerfStart perf_start(std::string_view text);

// The text's next line, without its end; removes it from `text`.
std::string_view next_line(std::string_view& text);

std::string_view without_blanks(std::string_view text);

}  // namespace lanescope
