// Spool files with random ranges, and the slices that a reader must find in them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/trace/trace.h"
#include "tests/core/spool_maker.h"

namespace lanescope::testing {

struct RecordedSlice {
    std::string lane, name;
    Nanos start, duration;
    friend auto operator<=>(const RecordedSlice&, const RecordedSlice&) = default;
};

std::multiset<RecordedSlice> recorded_slices(const Trace& trace);

// Null: there is no warning of this code.
const Warning* warning(const Trace& trace, std::string_view code);

// The time of a writer's ticks, by an implementation independent of the reader's.
Nanos time_of(const SpoolHeader& header, uint64_t ticks);

// Writes random nested ranges of three threads in two domains, over many blocks; returns the
// slices.
std::multiset<RecordedSlice> write_random(SpoolMaker& maker, unsigned seed, int events);

}  // namespace lanescope::testing
