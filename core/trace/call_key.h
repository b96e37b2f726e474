// Correlations link a call with the work that it launched. Calls of two processes may have the same
// correlation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/trace/trace.h"

namespace lanescope {

struct CallKey {
    uint32_t process = kNoRow;  // that made the call
    int64_t correlation = kNoValue;

    friend bool operator==(const CallKey&, const CallKey&) = default;
};

struct CallKeyHash {
    std::size_t operator()(const CallKey& key) const {
        const auto mixed = static_cast<uint64_t>(key.correlation) * 0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(mixed ^ mixed >> 32 ^ uint64_t{key.process} << 32);
    }
};

// The process that launched the work of a lane; kNoRow: not known.
inline uint32_t launching_process(const Trace& trace, LaneId lane) {
    const uint32_t number = trace.lanes[lane].process;
    const Process& process = trace.processes[number];
    return process.is_gpu || process.owner != kNoRow ? process.owner : number;
}

// The key of a call, by its lane and its correlation.
inline CallKey key_of_call(const Trace& trace, LaneId lane, int64_t correlation) {
    return {trace.lanes[lane].process, correlation};
}
// The key of work or of a wait on a device.
inline CallKey key_of_work(const Trace& trace, LaneId lane, int64_t correlation) {
    return {launching_process(trace, lane), correlation};
}

}  // namespace lanescope
