#include "core/source/child_output.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/core/temporary_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

using Clock = std::chrono::steady_clock;

Result<void> ignore_output(std::string_view) {
    return {};
}

double seconds_of(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

int pid_in(const std::string& path) {
    std::ifstream file(path);
    int pid = 0;
    file >> pid;
    return pid;
}

}  // namespace

TEST_CASE("the output of a program arrives completely, with its status and last words") {
    std::size_t bytes = 0;
    const Result<ChildEnd> end =
        read_child({"sh", "-c", "head -c 5000000 /dev/zero; echo first >&2; echo last >&2; exit 3"},
                   [&](std::string_view piece) {
                       bytes += piece.size();
                       return Result<void>();
                   });
    REQUIRE(end);
    CHECK(bytes == 5'000'000);
    CHECK(WEXITSTATUS(end->status) == 3);
    CHECK(end->said == "first\nlast\n");
}

TEST_CASE("without a status, since SIGCHLD is ignored, a program counts as failed") {
    const auto before = signal(SIGCHLD, SIG_IGN);
    const Result<ChildEnd> end = read_child({"sh", "-c", "echo text"}, ignore_output);
    signal(SIGCHLD, before);
    REQUIRE(end);
    CHECK(WIFEXITED(end->status));
    CHECK(WEXITSTATUS(end->status) == 255);
}

TEST_CASE("a program that talks a lot is neither blocked nor kept in memory") {
    const Result<ChildEnd> end = read_child(
        {"sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo end >&2"}, ignore_output);
    REQUIRE(end);
    CHECK(end->said.size() <= 4096);
    CHECK(end->said.ends_with("xend\n"));
}

TEST_CASE("the standard input is empty, and words are not expanded") {
    std::string written;
    const Result<ChildEnd> end = read_child({"sh", "-c", "cat; printf %s \"$1\"", "sh", "$(id) *"},
                                            [&](std::string_view piece) {
                                                written += piece;
                                                return Result<void>();
                                            });
    REQUIRE(end);
    CHECK(written == "$(id) *");
}

TEST_CASE("a program that does not exist, and one that cannot be run") {
    const Result<ChildEnd> none = read_child({"lanescope-no-such-program"}, ignore_output);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::unsupported);
    const Result<ChildEnd> folder = read_child({"/tmp"}, ignore_output);
    REQUIRE_FALSE(folder);
    CHECK(folder.error().code == ErrorCode::io);
}

TEST_CASE("cancelling kills the program, even one that ignores the request to end") {
    const TemporaryFile temporary("x");
    for (const std::string trap : {"", "trap '' TERM; "}) {
        const std::string pid_path = temporary.folder() + "/pid" + (trap.empty() ? "1" : "2");
        std::atomic<bool> cancel = false;
        std::thread user([&] {
            while (pid_in(pid_path) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
            cancel = true;
        });
        const std::string script = trap + "echo $$ > " + pid_path + "; while :; do sleep 0.1; done";
        const auto begin = Clock::now();
        const Result<ChildEnd> end = read_child({"sh", "-c", script}, ignore_output, &cancel);
        user.join();
        REQUIRE_FALSE(end);
        CHECK(end.error().code == ErrorCode::cancelled);
        CHECK(seconds_of(begin) < 10);
        CHECK(kill(pid_in(pid_path), 0) != 0);  // it is gone
    }
}

TEST_CASE("an error of the reader ends the program, and is returned") {
    const Result<ChildEnd> end = read_child({"cat", "/dev/zero"}, [](std::string_view) {
        return Result<void>(Error{ErrorCode::io, Error::no_offset, "full"});
    });
    REQUIRE_FALSE(end);
    CHECK(end.error().text == "full");
}

TEST_CASE("a descendant that keeps the standard error does not delay the end") {
    const auto begin = Clock::now();
    const Result<ChildEnd> end =
        read_child({"sh", "-c", "sleep 20 >/dev/null & echo said >&2"}, ignore_output);
    REQUIRE(end);
    CHECK(end->said == "said\n");
    CHECK(seconds_of(begin) < 10);
}
