// Parses the output of `perf script`: for each event, a header and the frames of its stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/nanos.h"

namespace lanescope {

// "comm pid/tid [cpu] time: period event: text". All parts except the time are optional.
struct PerfHeader {
    std::string_view comm, pid, tid, cpu;  // empty: not printed
    std::string_view time;                 // as written, without the colon
    Nanos nanos = 0;
    std::string_view period, event;
    std::string_view text;  // the rest: fields of a tracepoint, or a frame
};
// Empty: the line is not a header, or has no time.
std::optional<PerfHeader> read_perf_header(std::string_view line);

// "address symbol+0xoffset (dso)". At least one part is present.
struct PerfFrame {
    std::string_view address, symbol, offset;
    std::string_view dso;  // "[unknown]": unknown
    bool is_inlined = false;
};
// Parses a line of a stack, which begins with white space; empty: it is not one.
std::optional<PerfFrame> read_perf_frame(std::string_view line);
// Distinguishes the frames of a stack from source lines between them, which have no address.
class PerfStack {
  public:
    // Whether the stack's next line is a frame. If no line has an address, all lines are frames.
    bool take(const PerfFrame& frame);
    std::size_t count() const { return count_; }  // number of frames so far

  private:
    bool has_addresses_ = false;
    std::size_t count_ = 0;
};

// Parses a frame on the header's line; empty: the header has other text, or none.
std::optional<PerfFrame> read_perf_frame_of_header(std::string_view line, const PerfHeader& header);

// Whether the text starts like the output of `perf script`: with a header, or with a comment
// followed by a header. `has_times`: whether the first header has a time.
struct PerfStart {
    bool is_perf = false;
    bool has_times = false;
};
PerfStart perf_start(std::string_view text);

// Removes the next line from `text`, and returns it without the line end.
std::string_view next_line(std::string_view& text);

std::string_view without_blanks(std::string_view text);

}  // namespace lanescope
