#include "core/capture/kineto/kineto_daemon.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/capture/process/process_facts.h"

using namespace lanescope;

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a trace is moved whole; links, folders and pipes in its place are not followed") {
    std::string pattern = (fs::temp_directory_path() / "take-XXXXXX").string();
    const fs::path folder = mkdtemp(pattern.data());
    const std::string text(3'000'000, 'x');
    std::ofstream(folder / "from.json", std::ios::binary) << text;
    REQUIRE(take_trace(folder / "from.json", folder / "to.json"));
    CHECK(text_of(folder / "to.json") == text);
    CHECK_FALSE(fs::exists(folder / "from.json"));

    std::ofstream(folder / "secret") << "secret";
    fs::create_symlink(folder / "secret", folder / "link.json");
    CHECK_FALSE(take_trace(folder / "link.json", folder / "stolen.json"));
    fs::create_directory(folder / "folder.json");
    CHECK_FALSE(take_trace(folder / "folder.json", folder / "stolen.json"));
    REQUIRE(mkfifo((folder / "pipe.json").c_str(), 0600) == 0);
    CHECK_FALSE(take_trace(folder / "pipe.json", folder / "stolen.json"));
    CHECK_FALSE(take_trace(folder / "nothing.json", folder / "stolen.json"));
    CHECK_FALSE(fs::exists(folder / "stolen.json"));

    std::ofstream(folder / "from.json") << "{}";
    CHECK_FALSE(take_trace(folder / "from.json", folder / "nowhere" / "to.json"));
    CHECK(fs::exists(folder / "from.json"));
    fs::remove_all(folder);
}

TEST_CASE("facts about this process are read from the system") {
    const auto facts = facts_of_process(getpid());
    REQUIRE(facts);
    CHECK(facts->command.find("lanescope_tests") != std::string::npos);
    CHECK_FALSE(facts->user.empty());
    CHECK(is_alive(getpid()));
    CHECK_FALSE(is_alive(0x7fffffff));
    CHECK_FALSE(facts_of_process(0x7fffffff));
    CHECK(file_of_process(getpid(), "/tmp/t.json") == "/tmp/t.json");
}
