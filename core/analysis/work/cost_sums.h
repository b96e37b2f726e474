// Sums of kernels' work and lost time, for rows of tables.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/analysis/work/work_models.h"
#include "core/table/cells.h"

namespace lanescope {

struct CostSums {
    Nanos time = 0;           // of all kernels
    Nanos modelled_time = 0;  // of kernels with a floor
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
        const auto longest = std::ranges::max_element(time_of_bound);
        return static_cast<WorkBound>(longest - time_of_bound.begin());
    }
    std::optional<int64_t> known_flop() const {
        return has_flop ? std::optional(flop.n) : std::nullopt;
    }
    std::optional<int64_t> known_bytes() const {
        return has_bytes ? std::optional(bytes.n) : std::nullopt;
    }
    std::optional<int64_t> known_floor() const {
        return has_floor() ? std::optional(std::llround(floor_ns)) : std::nullopt;
    }
    std::optional<int64_t> known_lost() const {
        return has_floor() ? std::optional(std::llround(lost_ns)) : std::nullopt;
    }
    std::optional<int64_t> known_uncertain() const {
        return has_floor() ? std::optional<int64_t>(uncertain) : std::nullopt;
    }
    std::string_view bound_name() const { return work_bound_name(bound()); }
    std::optional<std::string_view> known_below() const {
        return known_text(below_floor_reason(below));
    }
};

// 10^12 operations a second; unknown if the time is 0.
inline std::optional<double> tera_per_second(double operations, double nanoseconds) {
    return nanoseconds > 0 ? std::optional(operations / nanoseconds / 1e3) : std::nullopt;
}

// 10^9 bytes a second.
inline std::optional<double> giga_per_second(double bytes, double nanoseconds) {
    return known_ratio(bytes, nanoseconds);
}

}  // namespace lanescope
