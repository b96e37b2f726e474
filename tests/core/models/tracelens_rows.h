// Compares TraceLens' models of 496 operator rows with ours, and names the reason of each
// difference.
#pragma once

#include <string>
#include <vector>

namespace lanescope::testing {

struct TraceLensRow {
    std::string op;
    std::string dims;  // as JSON, like the next two
    std::string types;
    std::string concrete;
    double flop = 0;
    double bytes = 0;      // below 0: not given
    std::string why_flop;  // why ours differs; empty: it agrees
    std::string why_bytes;
    bool compared = true;  // false: it has no dims, or its operator has no model
};

// Every row with our model's answer. "not explained" if no class applies.
std::vector<TraceLensRow> tracelens_rows(const std::string& path);

}  // namespace lanescope::testing
