#include "tests/core/real_traces.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/ingest/load.h"
#include "tests/skip.h"

namespace {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(LANESCOPE_ROOT) / "assets/samples";

bool is_sample(std::string_view name) {
    return name.starts_with("torch_cpu/") || name == "synthetic_step.json.gz";
}

// Names of a folder's traces, relative to its root.
void add_traces(const fs::path& root, const std::string& part, std::vector<std::string>& names) {
    for (const auto& entry : fs::directory_iterator(root / part)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".json.gz") || (part == "chrome" && name.ends_with(".json")))
            names.push_back((fs::path(part) / name).string());
    }
}

}  // namespace

bool lanescope::testing::has_real_traces() {
    const char* folder = std::getenv("LANESCOPE_TRACES");
    if (folder && *folder) return true;
    note_missing_traces();
    return false;
}

std::string lanescope::testing::real_trace(std::string_view name) {
    if (!is_sample(name) && !has_real_traces()) {
        skip_test("LANESCOPE_TRACES names no folder of real traces");
        return {};
    }
    const fs::path folder = is_sample(name) ? kSamples : fs::path(std::getenv("LANESCOPE_TRACES"));
    const fs::path path = folder / name;
    if (!fs::exists(path)) {
        FAIL_CHECK(folder.string(), " holds no ", name);
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

std::vector<std::string> lanescope::testing::traces_here(
    std::initializer_list<std::string_view> names) {
    std::vector<std::string> here;
    for (const std::string_view name : names)
        if (is_sample(name) || has_real_traces()) here.emplace_back(name);
    return here;
}

std::vector<std::string> lanescope::testing::torch_traces() {
    const std::string root = real_trace("torch");
    if (root.empty()) return {};
    std::vector<std::string> names;
    for (const char* part : {"torch", "torch/two_ranks"})
        add_traces(fs::path(root).parent_path(), part, names);
    add_traces(kSamples, "torch_cpu", names);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> lanescope::testing::torch_traces_and_samples() {
    std::vector<std::string> names;
    if (has_real_traces()) {
        names = torch_traces();
    } else {
        add_traces(kSamples, "torch_cpu", names);
        std::sort(names.begin(), names.end());
    }
    names.emplace_back("synthetic_step.json.gz");
    return names;
}

std::vector<std::string> lanescope::testing::all_traces_and_samples() {
    std::vector<std::string> names = torch_traces_and_samples();
    if (has_real_traces()) {
        add_traces(std::getenv("LANESCOPE_TRACES"), "chrome", names);
        std::sort(names.begin(), names.end());
    }
    return names;
}

std::vector<std::string> lanescope::testing::fewer_if_slow(std::vector<std::string> names,
                                                           [[maybe_unused]] std::size_t first) {
#ifdef LANESCOPE_SANITIZED
    constexpr std::size_t kStep = 3;
    if (std::getenv("LANESCOPE_EVERY_TRACE")) return names;
    std::vector<std::string> some;
    for (std::size_t i = first % kStep; i < names.size(); i += kStep) some.push_back(names[i]);
    names = std::move(some);
#endif
    return names;
}

std::vector<std::string> lanescope::testing::traces_of_slow_tests(std::size_t first) {
    return fewer_if_slow(torch_traces_and_samples(), first);
}
