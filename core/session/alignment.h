// Alignment: by what the traces of one window are put on one clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

enum class AlignBy : uint8_t {
    best,     // by wall clock where that puts them side by side, else by start
    start,    // the first event that a view frames
    clock,    // Unix time
    step,     // the begin of a step of that number
    event,    // the first slice of a name
    by_hand,  // as the user has moved them
};

struct Alignment {
    AlignBy by = AlignBy::best;
    int64_t step = 0;   // of AlignBy::step
    std::string event;  // of AlignBy::event: the name, or a part of it

    friend bool operator==(const Alignment&, const Alignment&) = default;
};

// "start", "clock", "step:4", "event:ncclAllReduce".
Result<Alignment> parse_alignment(std::string_view text);
// As parse_alignment() reads it; "hand" for by_hand.
std::string alignment_text(const Alignment& alignment);

struct Aligned {
    AlignBy by = AlignBy::start;  // what `best` came to
    std::vector<Nanos> offsets;   // one a trace, to add to the times of its file; the first is 0
};

// Traces as loaded, or parts of a joined one. By hand: the offsets that they have. Errors: a trace
// has no clock, no such step or no such event; the text names it.
Result<Aligned> align_traces(const std::vector<TracePtr>& traces, const Alignment& alignment);

}  // namespace lanescope
