// Alignment: how several traces in one window are put on a common clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace lanescope {

enum class AlignBy : uint8_t {
    best,     // by wall clock if that puts them side by side, else by start
    start,    // the first event in the initial view
    clock,    // Unix time
    step,     // the begin of the step with a given number
    event,    // the first slice of a name
    by_hand,  // as the user has moved them
};

struct Alignment {
    AlignBy by = AlignBy::best;
    int64_t step = 0;   // of AlignBy::step
    std::string event;  // for AlignBy::event: the name, or part of it

    friend bool operator==(const Alignment&, const Alignment&) = default;
};

// "start", "clock", "step:4", "event:ncclAllReduce".
Result<Alignment> parse_alignment(std::string_view text);
// In the syntax of parse_alignment(); "hand" for by_hand.
std::string alignment_text(const Alignment& alignment);

struct Aligned {
    AlignBy by = AlignBy::start;  // what `best` came to
    // One for each trace, added to the times of its file; the first is 0.
    std::vector<Nanos> offsets;
};

// Traces as loaded, or parts of a joined trace. By hand: keeps their offsets. Errors: a trace has
// no clock, no such step or no such event; the message names it.
Result<Aligned> align_traces(const std::vector<TracePtr>& traces, const Alignment& alignment);

}  // namespace lanescope
