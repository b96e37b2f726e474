// Peaks for devices of any name, because the synthetic sample's device is in no data sheet.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <utility>

#include "core/models/device_specs.h"

namespace lanescope::testing {

inline SpecsBookPtr some_peaks() {
    auto book = std::make_shared<SpecsBook>(*built_in_specs());
    auto list = parse_specs(R"([{"name": "*", "figures": {"memory_bandwidth_gb_s": 1000,
        "fp32": 20, "tf32_tensor": 100, "fp16_tensor": 200, "bf16_tensor": 200}}])");
    REQUIRE(list);
    book->own = std::move(*list);
    return book;
}

}  // namespace lanescope::testing
