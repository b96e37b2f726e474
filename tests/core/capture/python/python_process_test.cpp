#include "core/capture/python/python_process.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <vector>

#include "core/capture/python/python_threads.h"

using namespace lanescope;

TEST_CASE("files that may contain Python, by their first mapping") {
    const auto files = files_with_python(
        "00400000-0041f000 r--p 00000000 fe:00 100   /usr/bin/python3.11\n"
        "0041f000-006d2000 r-xp 0001f000 fe:00 100   /usr/bin/python3.11\n"
        "7f0000001000-7f0000002000 rw-p 00000000 00:00 0 \n"
        "7f0000002000-7f0000003000 r--p 00001000 fe:00 7  /opt/my env/lib/libpython3.12.so.1.0\n"
        "7f0000004000-7f0000005000 r--p 00000000 fe:00 8  /usr/lib/libc.so.6\n"
        "ffff-",
        "/usr/bin/python3.11");
    REQUIRE(files.size() == 2);
    CHECK(files[0].path == "/usr/bin/python3.11");
    CHECK(files[0].begin == 0x400000);
    CHECK(files[0].offset == 0);
    CHECK(files[1].path == "/opt/my env/lib/libpython3.12.so.1.0");
    CHECK(files[1].begin == 0x7f0000002000);
    CHECK(files[1].offset == 0x1000);
    CHECK(files_with_python("", "").empty());
}

TEST_CASE("this program is not Python") {
    ProcessMemory memory(getpid());
    PythonFinder finder;
    CHECK(finder.look(static_cast<uint32_t>(getpid()), memory).finding == PythonFinding::none);
}

TEST_CASE("memory of a process: its own, invalid addresses, and no process") {
    const int value = 42;
    int copy = 0;
    ProcessMemory memory(getpid());
    CHECK(memory.read_value(reinterpret_cast<uintptr_t>(&value), copy));
    CHECK(copy == 42);
    CHECK_FALSE(memory.read_value(8, copy));
    CHECK_FALSE(memory.is_refused());
    // More pieces than fit one call, the last of which is invalid.
    std::vector<int> copies(1000);
    std::vector<MemoryPiece> pieces;
    for (int& one : copies)
        pieces.push_back({reinterpret_cast<uintptr_t>(&value), &one, sizeof one});
    CHECK(memory.read(pieces));
    CHECK(copies.back() == 42);
    pieces.back().address = 8;
    CHECK_FALSE(memory.read(pieces));
    ProcessMemory none(0x3FFFFFFF);
    CHECK_FALSE(none.read_value(reinterpret_cast<uintptr_t>(&value), copy));
}

TEST_CASE("a thread's name, state and processor") {
    const auto thread = thread_of_stat(
        "77 (a) (b) R 1 77 77 0 -1 4194304 1 0 0 0 1 0 0 0 20 0 1 0 5 9 9 9 1 1 0 0 0 0 0 0 0 0 0 "
        "0 "
        "17 3 0 0 0 0 0");
    REQUIRE(thread);
    CHECK(thread->name == "a) (b");
    CHECK(thread->running);
    CHECK(thread->processor == 3);
    CHECK_FALSE(thread_of_stat("1 (x) S 1")->running);
    CHECK(thread_of_stat("1 (x) S 1")->processor == -1);
    for (const char* damaged : {"", "1 (x", "1 (x)", ") (", "1 x) S"})
        CHECK_FALSE(thread_of_stat(damaged));
    ThreadWatch watch(static_cast<uint32_t>(getpid()));
    for (int i = 0; i < 2; ++i) {
        const auto self = watch.look(static_cast<uint32_t>(getpid()));
        REQUIRE(self);
        CHECK(self->running);
        CHECK(self->processor >= 0);
    }
    CHECK_FALSE(watch.look(0x3FFFFFFF));
}
