// What HTA computes, by the names of traces.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/real_traces.h"

namespace lanescope::testing {

// Of the sample, as written by tests/data/make_hta_sample.py, and of the real traces if there are
// any.
inline nlohmann::json hta_truth() {
    std::ifstream of_sample(LANESCOPE_ROOT "/tests/data/hta_sample.json");
    REQUIRE(of_sample);
    nlohmann::json all = nlohmann::json::parse(of_sample);
    if (has_real_traces()) {
        std::ifstream of_real(real_trace("truth/hta.json"));
        all.update(nlohmann::json::parse(of_real));
    }
    return all;
}

}  // namespace lanescope::testing
