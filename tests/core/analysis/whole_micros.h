#pragma once

#include <cmath>

#include "core/base/nanos.h"

namespace lanescope::testing {

// As HTA reads times: microseconds as doubles, begins rounded up and ends rounded down to whole
// ones.
inline TimeRange in_whole_micros(TimeRange range) {
    const auto micros = [](Nanos t) {
        return static_cast<double>(static_cast<long double>(t) / 1000);
    };
    const double begin = micros(range.begin);
    const double end = begin + micros(range.length());
    return {static_cast<Nanos>(std::ceil(begin)) * 1000,
            static_cast<Nanos>(std::floor(end)) * 1000};
}

}  // namespace lanescope::testing
