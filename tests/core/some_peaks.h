// Peaks for devices of any name, because the synthetic sample's device is in no data sheet.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <utility>

#include "core/analysis/evidence.h"
#include "core/models/device_specs.h"

namespace lanescope::testing {

// A device sheet with those peaks.
inline Evidence some_peaks() {
    auto book = std::make_shared<SpecsBook>(*built_in_specs());
    auto list = parse_specs(R"([{"name": "*", "figures": {"memory_bandwidth_gb_s": 1000,
        "fp32": 20, "tf32_tensor": 100, "fp16_tensor": 200, "bf16_tensor": 200}}])");
    REQUIRE(list);
    book->own = std::move(*list);
    return Evidence(SpecsBookPtr(std::move(book)));
}

}  // namespace lanescope::testing
