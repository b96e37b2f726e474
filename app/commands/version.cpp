#include "app/commands/version.h"

#include <fmt/format.h>
#include <lanescope_commit.h>  // made by app/commit.cmake

#include <string_view>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "Clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "GCC " __VERSION__;
#endif

const std::vector<std::pair<bool, std::string_view>> kParts = {
    {LANESCOPE_HAS_WINDOW, "the window and pictures of it"},
    {LANESCOPE_HAS_RECORD, "recording of NVTX and CUDA"},
    {LANESCOPE_HAS_SYMBOLS, "names of sampled functions"},
};

std::string parts(bool built_in) {
    std::vector<std::string_view> names;
    for (const auto& [has, name] : kParts)
        if (has == built_in) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string version_text() {
    constexpr std::string_view commit = LANESCOPE_COMMIT;
    std::string text =
        fmt::format("lanescope {}, {}\n", LANESCOPE_VERSION,
                    commit.empty() ? "of an unknown commit" : fmt::format("commit {}", commit));
    const std::string in = parts(true);
    const std::string out = parts(false);
    if (!in.empty()) text += fmt::format("built in: {}\n", in);
    if (!out.empty()) text += fmt::format("not built in: {}\n", out);
    return text + fmt::format("compiler: {}, {}", kCompiler, LANESCOPE_BUILD_TYPE);
}

}  // namespace lanescope
