// TraceLens' models of 496 rows of operators beside ours, by the class of their difference.
#pragma once

#include <string>
#include <vector>

namespace lanescope::testing {

struct TraceLensRow {
    std::string op;
    std::string dims;  // as JSON, of the next two too
    std::string types;
    std::string concrete;
    double flop = 0;
    double bytes = 0;      // below 0: not given
    std::string why_flop;  // ours differs, and why; empty: it agrees
    std::string why_bytes;
    bool compared = true;  // false: it has no dims, or is no operator with a model
};

// Every row with what our model says of it. "not explained" stands where no class holds.
std::vector<TraceLensRow> tracelens_rows(const std::string& path);

}  // namespace lanescope::testing
