#include "core/session/file_watch.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/core/temporary_file.h"

using namespace lanescope;
using lanescope::testing::TemporaryFile;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

// Whether `count` reaches `wanted` within a generous time.
bool reaches(const std::atomic<int>& count, int wanted) {
    for (int i = 0; i < 400 && count < wanted; ++i) std::this_thread::sleep_for(20ms);
    return count == wanted;
}

}  // namespace

TEST_CASE("A file that is written, replaced, or gone and back again is told once each") {
    const TemporaryFile file("one");
    std::atomic<int> told = 0;
    const FileWatch watch(file.path(), [&] { ++told; });
    file.write("two, and longer");
    CHECK(reaches(told, 1));

    const std::string beside = file.folder() + "/beside";
    fs::copy_file(file.path(), beside);
    fs::rename(beside, file.path());
    CHECK(reaches(told, 2));

    fs::remove(file.path());
    std::this_thread::sleep_for(700ms);
    CHECK(told == 2);
    file.write("three");
    CHECK(reaches(told, 3));
}

TEST_CASE("A file that grows is told when it has come to rest") {
    const TemporaryFile file("");
    std::atomic<int> told = 0;
    const FileWatch watch(file.path(), [&] { ++told; });
    std::string text;
    for (int i = 0; i < 12; ++i) {
        text += "more";
        file.write(text);
        std::this_thread::sleep_for(100ms);
    }
    CHECK(reaches(told, 1));
    std::this_thread::sleep_for(700ms);
    CHECK(told == 1);
}

TEST_CASE("Other files of the folder, and what is no file, tell nothing") {
    const TemporaryFile file("one");
    std::atomic<int> told = 0;
    const FileWatch watch(file.path(), [&] { ++told; });
    const FileWatch folder(file.folder(), [&] { ++told; });
    const FileWatch nothing(file.folder() + "/not there", [&] { ++told; });
    std::ofstream(file.folder() + "/other") << "text";
    std::this_thread::sleep_for(800ms);
    CHECK(told == 0);
}
