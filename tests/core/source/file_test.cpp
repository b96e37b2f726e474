#include "core/source/file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/core/temporary_file.h"

using namespace lanescope;
using namespace lanescope::testing;

TEST_CASE("reads at any offset; fewer bytes at the end") {
    const TemporaryFile temporary("0123456789");
    const auto file = InputFile::open(temporary.path());
    REQUIRE(file);
    CHECK((*file)->size() == 10);
    char bytes[8] = {};
    CHECK(*(*file)->read_at(3, bytes, 4) == 4);
    CHECK(std::string_view(bytes, 4) == "3456");
    CHECK(*(*file)->read_at(7, bytes, 8) == 3);
    CHECK(*(*file)->read_at(10, bytes, 8) == 0);
    CHECK(*(*file)->read_at(100, bytes, 8) == 0);
}

TEST_CASE("a file that cannot be opened is an error with its name") {
    const TemporaryFile temporary("x");
    for (const std::string& path : {temporary.folder(), temporary.folder() + "/none",
                                    std::string("/dev/zero"), std::string("")}) {
        const auto file = InputFile::open(path);
        REQUIRE_FALSE(file);
        CHECK(file.error().code == ErrorCode::io);
        CHECK(file.error().text.starts_with(path));
    }
    const TemporaryFile empty("");
    const auto file = InputFile::open(empty.path());
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::empty);
}

TEST_CASE("a pipe is read to its end, then at any offset") {
    const TemporaryFile temporary("x");
    const std::string pipe = temporary.folder() + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::string sent(3'000'000, 'a');
    sent.back() = 'z';
    std::thread writer([&] {
        std::ofstream out(pipe, std::ios::binary);
        out << sent;
    });
    const auto file = InputFile::open(pipe);
    writer.join();
    REQUIRE(file);
    CHECK((*file)->size() == sent.size());
    char last = 0;
    CHECK(*(*file)->read_at(sent.size() - 1, &last, 1) == 1);
    CHECK(last == 'z');
    CHECK((*file)->unchanged());
}

TEST_CASE("an empty pipe is an error") {
    const TemporaryFile temporary("x");
    const std::string pipe = temporary.folder() + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] { const std::ofstream out(pipe); });
    const auto file = InputFile::open(pipe);
    writer.join();
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::empty);
}

TEST_CASE("a changed file is detected; a removed or reused name is not a change") {
    const TemporaryFile temporary("0123456789");
    const auto file = InputFile::open(temporary.path());
    REQUIRE(file);
    CHECK((*file)->unchanged());
    std::filesystem::rename(temporary.path(), temporary.path() + ".old");
    temporary.write("another");
    CHECK((*file)->unchanged());
    CHECK((*file)->size() == 10);
    REQUIRE(truncate((temporary.path() + ".old").c_str(), 5) == 0);
    CHECK_FALSE((*file)->unchanged());
    char bytes[10];
    CHECK(*(*file)->read_at(0, bytes, 10) == 5);
}
