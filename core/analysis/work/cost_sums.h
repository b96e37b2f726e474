// Sums of kernels' work and lost time, for rows of tables.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/work/work_models.h"
#include "core/table/table.h"

namespace lanescope {

struct CostSums {
    Nanos time = 0;           // of all kernels added
    Nanos modelled_time = 0;  // of those with a floor
    double floor_ns = 0;
    double lost_ns = 0;
    Count flop;
    Count bytes;
    bool has_flop = false;
    bool has_bytes = false;
    bool uncertain = false;  // the source of some floor's figure is not confirmed
    BelowFloor below = BelowFloor::no;
    std::array<Nanos, 4> time_of_bound = {};

    void add(const KernelCost& cost, Nanos duration) {
        time += duration;
        time_of_bound[static_cast<std::size_t>(cost.bound)] += duration + 1;
        if (cost.flop != kNoValue) flop = flop + Count(cost.flop);
        if (cost.bytes != kNoValue) bytes = bytes + Count(cost.bytes);
        has_flop = has_flop || cost.flop != kNoValue;
        has_bytes = has_bytes || cost.bytes != kNoValue;
        below = std::max(below, cost.below);
        if (std::isnan(cost.floor_ns)) return;
        modelled_time += duration;
        uncertain = uncertain || cost.uncertain;
        floor_ns += cost.floor_ns;
        lost_ns += lanescope::lost_ns(static_cast<double>(duration), cost.floor_ns);
    }

    bool has_floor() const { return modelled_time > 0 || floor_ns > 0; }
    // The bound with the largest share of the time.
    WorkBound bound() const {
        const auto most = std::ranges::max_element(time_of_bound);
        return static_cast<WorkBound>(most - time_of_bound.begin());
    }
    Cell flop_cell() const { return has_flop ? Cell(flop.n) : Cell(); }
    Cell bytes_cell() const { return has_bytes ? Cell(bytes.n) : Cell(); }
    Cell floor_cell() const { return has_floor() ? Cell(std::llround(floor_ns)) : Cell(); }
    Cell lost_cell() const { return has_floor() ? Cell(std::llround(lost_ns)) : Cell(); }
    Cell uncertain_cell() const { return has_floor() ? Cell(int64_t{uncertain}) : Cell(); }
    Cell bound_cell() const { return Cell(work_bound_name(bound())); }
    Cell below_cell() const {
        return below == BelowFloor::no ? Cell() : Cell(below_floor_reason(below));
    }
};

// 10^12 operations a second; unknown if the time is 0.
inline Cell tera_per_second(double operations, double nanoseconds) {
    return nanoseconds > 0 ? Cell(operations / nanoseconds / 1e3) : Cell();
}

// 10^9 bytes a second.
inline Cell giga_per_second(double bytes, double nanoseconds) {
    return nanoseconds > 0 ? Cell(bytes / nanoseconds) : Cell();
}

}  // namespace lanescope
