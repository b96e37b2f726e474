#include "tests/core/real_traces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/ingest/load.h"
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

lanescope::TracePtr lanescope::testing::load_real_trace(std::string_view name) {
    const std::string path = real_trace(name);
    if (path.empty()) return nullptr;
    Result<TracePtr> loaded = load_trace(path);
    if (!loaded) {
        FAIL_CHECK(name, ": ", loaded.error().text);
        return nullptr;
    }
    return *loaded;
}

std::vector<std::string> lanescope::testing::torch_traces() {
    std::vector<std::string> names;
    const std::string root = real_trace("torch");
    if (root.empty()) return names;
    const std::filesystem::path folder = std::filesystem::path(root).parent_path();
    for (const char* part : {"torch", "torch/two_ranks", "torch_cpu"})
        for (const auto& entry : std::filesystem::directory_iterator(folder / part))
            if (entry.path().filename().string().ends_with(".json.gz"))
                names.push_back(std::string(part) + "/" + entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}
