// MemoryInRange: curves, blocks and peaks in a range of time, for all tables of memory.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "core/analysis/memory/memory.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

// The curves and blocks of a trace, with the peaks in a range of time.
struct MemoryInRange {
    MemoryInRange(const TraceContext& c, const TableQuery& q)
        : context(c),
          trace(context.trace()),
          query(q),
          curves(c.get<MemoryCurves>().all),
          blocks(c.get<MemoryBlocks>().all) {
        for (const MemoryCurve& curve : curves) {
            const uint32_t peak = peak_of(trace, curve, query);
            peaks.push_back(peak);
            peak_rows.push_back(peak == kNoRow ? kNoRow : curve.rows[peak]);
            devices.push_back(curve.device_type == 0 ? "CPU"
                                                     : fmt::format("GPU {}", curve.device_id));
        }
    }

    bool in_range(uint32_t row) const {
        return !query.range || query.range->contains(trace.memory_events.time[row]);
    }
    int64_t size_of(const MemoryBlock& block) const {
        return trace.memory_events.bytes[block.allocated];
    }
    // Events of the same time keep file order, so the smaller row was first.
    bool at_peak(const MemoryBlock& block) const {
        const uint32_t peak = peak_rows[block.curve];
        return peak != kNoRow && block.allocated <= peak && block.freed > peak;
    }
    uint32_t step_of(const Steps& steps, const MemoryBlock& block) const {
        return steps.at(curves[block.curve].process, trace.memory_events.time[block.allocated]);
    }

    TraceContext context;
    const Trace& trace;
    TableQuery query;
    std::span<const MemoryCurve> curves;
    std::span<const MemoryBlock> blocks;
    std::vector<std::string> devices;  // by curve
    std::vector<uint32_t> peaks;       // by curve: index of its peak
    std::vector<uint32_t> peak_rows;   // by curve: row of Trace::memory_events
};

// Columns of several tables.
inline constexpr ColumnText kMemoryDevice = {"device", Unit::none, kDistinct, "",
                                             "CPU, or GPU with its ordinal."};
inline constexpr ColumnText kMemoryOperator = {"operator", Unit::none, kDistinct,
                                               "outside of operators",
                                               "The innermost operator around the allocation."};
inline constexpr ColumnText kMemoryModule = {"module", Unit::none, kDistinct,
                                             "outside of modules, or modules are not recorded",
                                             "The innermost module around the allocation."};
inline constexpr ColumnText kMemoryStep = {"step", Unit::none, kDistinct, "outside of steps",
                                           "The step of the allocation."};

}  // namespace lanescope
