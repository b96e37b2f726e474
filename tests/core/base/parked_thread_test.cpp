#include "core/base/parked_thread.h"

#include <doctest/doctest.h>
#include <time.h>

#include <chrono>

using namespace lanescope;

namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

TEST_CASE("a parked thread runs each job once, or returns it") {
    ParkedThread thread;
    int calls = 0;
    int begun = 0;
    for (int i = 0; i < 2000; ++i) {
        std::atomic<bool> called{false};
        auto job = [&] {
            called = true;
            ++calls;
        };
        REQUIRE(thread.begin(job));
        // Every other time it may be too late to take it back.
        while (i % 2 == 0 && !called) std::this_thread::yield();
        thread.finish();
        begun += called;
    }
    CHECK(calls == begun);
    CHECK(begun >= 1000);
}

TEST_CASE("finishing waits for a job that has begun") {
    ParkedThread thread;
    std::atomic<bool> begun{false};
    int result = 0;
    auto job = [&] {
        begun = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        result = 7;
    };
    REQUIRE(thread.begin(job));
    while (!begun) std::this_thread::yield();
    thread.finish();
    CHECK(result == 7);
}

TEST_CASE("an idle parked thread uses no CPU time") {
    ParkedThread thread;
    int calls = 0;
    auto job = [&] { ++calls; };
    REQUIRE(thread.begin(job));
    thread.finish();
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(cpu_seconds() - before < 0.05);
}

TEST_CASE("a parked thread that was never used can be destroyed") {
    ParkedThread thread;
    thread.finish();
}
