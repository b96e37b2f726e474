#include "tests/core/real_traces.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/skip.h"

std::string lanescope::testing::real_trace(std::string_view name) {
    const char* folder = std::getenv("LANESCOPE_TRACES");
    if (!folder || !*folder) {
        skip_test("LANESCOPE_TRACES names no folder of real traces");
        return {};
    }
    const auto path = std::filesystem::path(folder) / name;
    if (!std::filesystem::exists(path)) {
        FAIL_CHECK("LANESCOPE_TRACES is set, but holds no ", name);
        return {};
    }
    return path.string();
}
