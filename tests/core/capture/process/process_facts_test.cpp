#include "core/capture/process/process_facts.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

namespace lanescope {
namespace {

// A program that waits, with this environment.
class Sleeper {
  public:
    explicit Sleeper(std::string variable) {
        std::string name = "sleep";
        std::string seconds = "60";
        const std::array<char*, 3> arguments = {name.data(), seconds.data(), nullptr};
        const std::array<char*, 2> environment = {variable.data(), nullptr};
        REQUIRE(posix_spawn(&pid, "/bin/sleep", nullptr, nullptr, arguments.data(),
                            environment.data()) == 0);
    }
    ~Sleeper() {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    pid_t pid = -1;
};

}  // namespace

TEST_CASE("a process has its command and rank") {
    const auto rank_of = [](const char* variable) {
        const Sleeper sleeper(variable);
        std::optional<ProcessFacts> facts;
        do {
            facts = facts_of_process(sleeper.pid);
            REQUIRE(facts);
        } while (facts->command.empty());  // until the system has loaded the program
        CHECK(facts->command == "sleep 60");
        return facts->rank;
    };
    CHECK(rank_of("RANK=31") == "31");
    CHECK(rank_of("RANK=") == "");
    CHECK(rank_of("RANKS=31") == "");
    CHECK(rank_of("LOCAL_RANK=31") == "");
}

}  // namespace lanescope
