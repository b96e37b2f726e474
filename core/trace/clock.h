// The time of day in a trace.
#pragma once

#include <optional>

#include "core/trace/join.h"

namespace lanescope {

// What is added to the trace's times to give Unix time; nothing where its file does not tell.
inline std::optional<Nanos> unix_base(const Trace& trace) {
    // Times that count from 1970, and not from the start of a machine, lie beyond September 2001.
    constexpr Nanos surely_unix = 1'000'000'000'000'000'000;
    if (trace.base_unix_nanos != 0) return trace.base_unix_nanos;
    if (file_span(trace).begin - shift_of(trace) < surely_unix) return std::nullopt;
    return -shift_of(trace);
}

}  // namespace lanescope
