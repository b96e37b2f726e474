// Conversion of trace times to the time of day.
#pragma once

#include <optional>

#include "core/trace/join.h"

namespace lanescope {

// The offset from trace time to Unix time; empty if the file does not give it.
inline std::optional<Nanos> unix_base(const Trace& trace) {
    // A time above this one (September 2001) counts from 1970, not from the start of a machine.
    constexpr Nanos surely_unix = 1'000'000'000'000'000'000;
    if (trace.base_unix_nanos != 0) return trace.base_unix_nanos;
    if (file_span(trace).begin - shift_of(trace) < surely_unix) return std::nullopt;
    return -shift_of(trace);
}

}  // namespace lanescope
