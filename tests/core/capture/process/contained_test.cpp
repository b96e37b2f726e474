#include "core/capture/process/contained.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

using namespace lanescope;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("the result of work in a separate process is returned") {
    const Contained run = run_contained([] { return std::string(100'000, 'x'); }, seconds(10));
    CHECK(run.fine());
    CHECK(run.output == std::string(100'000, 'x'));
}

TEST_CASE("crashes, exits and exceptions in the separate process do not end this one") {
    const Contained crashed = run_contained(
        []() -> std::string {
            std::signal(SIGABRT, SIG_DFL);
            raise(SIGKILL);
            return "";
        },
        seconds(10));
    CHECK(crashed.end == Contained::End::crashed);
    CHECK(crashed.status == SIGKILL);
    const Contained left = run_contained([]() -> std::string { _exit(3); }, seconds(10));
    CHECK(left.end == Contained::End::exited);
    CHECK(left.status == 3);
    CHECK(!left.fine());
    const Contained thrown = run_contained(
        []() -> std::string { throw std::runtime_error("of a library"); }, seconds(10));
    CHECK(!thrown.fine());
}

TEST_CASE("work that hangs is ended after its time limit, with the processes it started") {
    const auto began = std::chrono::steady_clock::now();
    const Contained hangs = run_contained(
        []() -> std::string {
            pause();
            return "";
        },
        milliseconds(100));
    CHECK(hangs.end == Contained::End::took_too_long);
    const Contained child =
        run_program({"/bin/sh", "-c", "echo begun; sleep 60 & wait"}, milliseconds(300));
    CHECK(child.end == Contained::End::took_too_long);
    CHECK(child.output == "begun\n");
    CHECK(std::chrono::steady_clock::now() - began < seconds(20));
}

TEST_CASE("a program's output and exit status are returned") {
    const Contained run =
        run_program({"/bin/sh", "-c", "echo out; echo err >&2; exit 4"}, seconds(10));
    CHECK(run.output == "out\n");
    CHECK(run.status == 4);
    CHECK(run_program({"/no/such/program"}, seconds(10)).status == 127);
}
