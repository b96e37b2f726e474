#include "core/capture/process/process_tree.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace lanescope {
namespace {

constexpr Nanos kBegin = 5'000'000'000;

Nanos cpu_time_of_test() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return Nanos{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

TEST_CASE("a process's use of the CPU is its CPU time as a part of the time that has passed") {
    ProcessTree tree(static_cast<uint32_t>(getpid()));
    Nanos now = kBegin;
    CHECK(tree.sample(now).cpu_percent == 0);
    constexpr Nanos kWork = 20'000'000;
    for (int i = 0; i < 3; ++i) {
        const Nanos begin = cpu_time_of_test();
        while (cpu_time_of_test() < begin + kWork) {
        }
        now += kWork;
        const TreeUse use = tree.sample(now);
        CHECK(use.cpu_percent >= 99);
        CHECK(use.cpu_percent < 400);
        CHECK(use.resident_bytes > 1e6);
    }
    CHECK(tree.sample(now + 1'000 * kWork).cpu_percent < 10);
}

TEST_CASE("descendants count, and are looked up once a second after the first second") {
    ProcessTree tree(static_cast<uint32_t>(getpid()));
    CHECK(tree.sample(kBegin).processes == 1);
    const pid_t child = fork();
    if (child == 0) {
        for (;;) pause();
    }
    const auto children = children_of(static_cast<uint32_t>(getpid()));
    CHECK(std::ranges::count(children, static_cast<uint32_t>(child)) == 1);
    CHECK(tree.sample(kBegin + 19'999'999).processes == 1);
    CHECK(tree.sample(kBegin + 20'000'000).processes == 2);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(tree.sample(kBegin + 1'500'000'000).processes == 1);
    const pid_t later = fork();
    if (later == 0) {
        for (;;) pause();
    }
    CHECK(tree.find(kBegin + 2'499'999'999).size() == 1);
    CHECK(tree.find(kBegin + 2'500'000'000).size() == 2);
    kill(later, SIGKILL);
    waitpid(later, nullptr, 0);
}

}  // namespace lanescope
