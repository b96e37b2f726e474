// Runs `lanescope record` beside this program, for a window.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/result.h"

namespace lanescope {

// The words of a command line as a shell has them: spaces part them, quotes and backslashes keep
// them together; words like NAME=VALUE before the program are its environment. Nothing is
// expanded. Errors: no words, or a quote that is not closed.
Result<std::vector<std::string>> split_command(std::string_view text);

// Where what a recorded program prints is kept: beside its trace, under a name that nobody else
// gives to his files.
std::string recording_log(const std::string& file);

struct RecorderStart {
    std::vector<std::string> command;
    std::string folder;    // in which the program runs
    std::string file;      // the spool, absolute
    Nanos duration = 0;    // 0: until the program ends
    Nanos ring = 0;        // keeps only the last so much; 0: everything
    bool samples = false;  // of CPU stacks, as often as is usual
};

class Recorder {
  public:
    // `program`: the `lanescope` to run. What is recorded has no input, and prints into
    // log_file(). Errors: it cannot be started, a folder or file cannot be had, or another file
    // than a recording has the name.
    static Result<std::unique_ptr<Recorder>> start(const std::string& program,
                                                   const RecorderStart& start);
    // The recording goes on when it has not ended.
    ~Recorder() = default;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Its exit status, once the program has ended: 128 and more by a signal.
    std::optional<int> ended();
    // Asks the program to end, by SIGTERM.
    void end_program() const;
    const std::string& file() const { return file_; }
    const std::string& log_file() const { return log_file_; }
    // The first line that was printed, which says why nothing could be run; empty: none.
    std::string first_line() const;

  private:
    Recorder(std::string file, std::string log_file, pid_t pid);

    std::string file_;
    std::string log_file_;
    pid_t pid_;
    std::optional<int> status_;
};

}  // namespace lanescope
