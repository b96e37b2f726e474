#include "ui/features/lanes_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

constexpr const char* kOldText = R"({"lanes": 1, "hidden": ["1/thread//lane 0"]})";

std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("lanes of an older version are taken over, and their files are never overwritten") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() /
        ("lanescope_lanes_" + std::to_string(getpid()) + "_" + std::to_string(std::rand()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "trace.json").string();
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 10}}});
    maker.lane({{{0, 10}}});
    const ViewIndexPtr index = build_view_index(maker.finish());
    std::ofstream(path) << kOldText;
    std::ofstream(path + ".v1") << "from an earlier change of versions";

    // The file stays until a new one replaces it: the lanes of a loading trace may not be known
    // yet.
    for (int i = 0; i < 2; ++i) {
        const LoadedLanes loaded = load_lanes(path, *index);
        CHECK(loaded.is_old);
        CHECK(loaded.message.find(path) != std::string::npos);
        CHECK(loaded.arrangement.hidden == std::set<LaneId>{0});
    }
    CHECK(contents(path) == kOldText);
    REQUIRE(save_lanes(load_lanes(path, *index).arrangement, *index, path));
    CHECK(contents(path + ".v1") == "from an earlier change of versions");
    CHECK(contents(path + ".v1-2") == kOldText);
    const LoadedLanes now = load_lanes(path, *index);
    CHECK(!now.is_old);
    CHECK(now.message.empty());
    CHECK(now.arrangement.hidden == std::set<LaneId>{0});
    std::filesystem::remove_all(folder);
}
