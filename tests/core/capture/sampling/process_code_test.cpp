#include "core/capture/sampling/process_code.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

using namespace lanescope;

TEST_CASE("executable mappings are read from /proc/PID/maps") {
    const auto records = parse_maps(
        "55d0c0000000-55d0c0001000 r--p 00000000 fd:01 12  /usr/bin/some program\n"
        "55d0c0001000-55d0c0005000 r-xp 00001000 fd:01 12  /usr/bin/some program\n"
        "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
        "7ffe00000000-7ffe00002000 r-xp 00000000 00:00 0                          [vdso]\n"
        "7ffe00002000-7ffe00001000 r-xp 00000000 00:00 0\n"
        "damaged\n"
        "-1 r-xp\n"
        "7f0000000000-7f0000001000 r-x",
        7);
    REQUIRE(records.size() == 3);
    CHECK(records[0].kind == PerfKind::mapping);
    CHECK(records[0].pid == 7);
    CHECK(records[0].address == 0x55d0c0001000);
    CHECK(records[0].bytes == 0x4000);
    CHECK(records[0].offset == 0x1000);
    CHECK(records[0].text == "/usr/bin/some program");
    CHECK(records[1].text == "//anon");
    CHECK(records[2].text == "[vdso]");
    CHECK(parse_maps("", 7).empty());
}

TEST_CASE("the code of this process contains its functions") {
    const auto records = code_of_process(static_cast<uint32_t>(getpid()));
    const auto address = reinterpret_cast<uint64_t>(&parse_maps);
    CHECK(std::ranges::any_of(records, [&](const PerfRecord& one) {
        return address >= one.address && address - one.address < one.bytes &&
               one.text.starts_with('/');
    }));
    CHECK(code_of_process(UINT32_MAX).empty());
}

TEST_CASE("the threads of a running process are found with their names") {
    std::mutex held;
    held.lock();
    std::thread other([&] {
        pthread_setname_np(pthread_self(), "a (odd) name");
        held.lock();
    });
    const auto pid = static_cast<uint32_t>(getpid());
    std::vector<RunningThread> threads;
    const auto waits = [&] {
        threads = running_threads(pid);
        return std::ranges::any_of(threads, [](const RunningThread& thread) {
            return thread.name == "a (odd) name" && !thread.is_running;
        });
    };
    for (int tries = 0; tries < 1000 && !waits(); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    held.unlock();
    other.join();
    CHECK(threads.size() >= 2);
    CHECK(std::ranges::count(threads, "a (odd) name", &RunningThread::name) == 1);
    const auto self = std::ranges::find(threads, pid, &RunningThread::tid);
    REQUIRE(self != threads.end());
    CHECK(self->pid == pid);
    CHECK(self->is_running);
    CHECK(running_threads(UINT32_MAX).empty());
}
