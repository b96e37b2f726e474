// The timeline of a report: the slices of a trace in columns, small enough for a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/trace/trace.h"

namespace lanescope {

struct TimelineExtract {
    // A length (32 bits, little-endian), a JSON head of that length, and numbers in LEB128: for
    // each row of each lane its slices as (start after the previous end, duration, label), then the
    // links as (source after the previous source, target). Times in ns from the trace's origin.
    std::string bytes;
    uint64_t slices = 0;
    uint64_t left_out = 0;  // slices that are shorter than `shortest` outside of `whole`
    Nanos shortest = 0;     // 0: nothing is left out
    TimeRange whole;        // where every slice is kept; absolute; empty: nowhere
};

// Without Python frames in lanes that have operators, as in the window. Neighbouring slices that
// are left out become one slice named "short slices".
TimelineExtract timeline_extract(const Trace& trace, TimeRange whole, Nanos shortest);

// The second in which most slices begin.
TimeRange densest_second(const Trace& trace);

// An extract, and its text: the compressed extract in base64. packed_extract() chooses the smallest
// limit `shortest` of 0, 1 µs, 4 µs, 16 µs, … with which the text has at most `max_bytes`. If no
// limit is large enough, packed_extract() applies the limits to the slices in `whole` too. If the
// text is still larger, the extract has no slices left.
struct PackedExtract {
    TimelineExtract extract;
    std::string text;
};
PackedExtract packed_extract(const Trace& trace, TimeRange whole, std::size_t max_bytes);

}  // namespace lanescope
