#include "core/capture/process/unreached.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace lanescope {

namespace {

class RecordedSleeper {
  public:
    explicit RecordedSleeper(const char* variable) {
        pid_ = fork();
        if (pid_ == 0) {
            char* const words[] = {const_cast<char*>("sleep"), const_cast<char*>("60"), nullptr};
            char* const variables[] = {const_cast<char*>(variable), nullptr};
            execve("/bin/sleep", words, variables);
            _exit(1);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ~RecordedSleeper() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    RecordedSleeper(const RecordedSleeper&) = delete;
    RecordedSleeper& operator=(const RecordedSleeper&) = delete;

    uint32_t pid() const { return static_cast<uint32_t>(pid_); }

  private:
    pid_t pid_ = -1;
};

const auto kNobody = [](uint32_t) { return false; };

}  // namespace

TEST_CASE("processes without the recorder's variables are found at the second look") {
    const RecordedSleeper with("LANESCOPE_SPOOL=/x");
    const RecordedSleeper without("PATH=/bin:LANESCOPE_SPOOL=/x");
    const uint32_t pids[] = {with.pid(), without.pid(), 4'000'000'000u};
    UnreachedProcesses processes;
    processes.look(pids, 5);
    CHECK(processes.found(0, kNobody).empty());
    processes.look(pids, 25);
    const std::vector<UnreachedProcess> expected = {{without.pid(), "sleep"}};
    CHECK(processes.found(20, kNobody) == expected);
    CHECK(processes.found(21, kNobody).empty());
    CHECK(processes.found(0, [](uint32_t) { return true; }).empty());
}

}  // namespace lanescope
