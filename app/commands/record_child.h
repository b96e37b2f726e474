// The program that `lanescope record` runs, from fork() to its end.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/result.h"

namespace lanescope {

// Blocks the signals that this program waits for, so that they do not interrupt the program.
class WaitedSignals {
  public:
    WaitedSignals();
    void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

    // Waits for a signal; empty if the time is up.
    std::optional<siginfo_t> wait(Nanos at_most) const;

  private:
    sigset_t before_ = {};
    sigset_t waited_ = {};
};

// A child that waits until its environment is known, and then executes the program.
class RecordedChild {
  public:
    // Errors: no process can be started.
    static Result<std::unique_ptr<RecordedChild>> start(const std::vector<std::string>& command,
                                                        const WaitedSignals& signals);
    // A child that was not released is killed.
    ~RecordedChild();
    RecordedChild(const RecordedChild&) = delete;
    RecordedChild& operator=(const RecordedChild&) = delete;

    pid_t pid() const { return pid_; }
    // Lets the child execute the program with these additional variables. Returns whether the
    // program was started; otherwise the child has printed the reason and ends.
    bool release(const std::map<std::string, std::string>& variables);

  private:
    RecordedChild() = default;

    pid_t pid_ = -1;
    int variables_ = -1;  // to the child
    int failure_ = -1;    // from the child: closed when the program is executed
};

// Becomes the program. If it cannot be executed, prints the reason and ends with the status that a
// shell would report; `before_end` is called in between.
[[noreturn]] void execute(const std::vector<std::string>& command,
                          const std::function<void()>& before_end);
// Passes a signal on to the program, unless the terminal has sent it to both.
void pass_on(const siginfo_t& signal, pid_t child);
// The exit status that a shell would report.
int exit_code_of(int status);
// Waits for the end of a program that is not recorded.
int follow_unrecorded(pid_t child, const WaitedSignals& signals);

}  // namespace lanescope
