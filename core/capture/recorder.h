// Runs `lanescope record` (installed beside this program) for a window.
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

// Splits a command line like a shell: spaces separate words, quotes and backslashes keep them
// together, and NAME=VALUE before the program sets its environment. Nothing is expanded. Errors: no
// words, or a quote that is not closed.
Result<std::vector<std::string>> split_command(std::string_view text);

// Returns whether the command runs Python: an interpreter, a script, or torchrun.
bool runs_python(const std::vector<std::string>& command);

// Where the output of a recorded program is stored: beside its trace, under a name that nobody else
// uses.
std::string recording_log(const std::string& file);

struct RecorderStart {
    std::vector<std::string> command;
    std::string folder;    // folder in which the program runs
    std::string file;      // the spool, absolute
    Nanos duration = 0;    // maximum duration; 0: until the program ends
    Nanos ring = 0;        // keeps only the last part of this length; 0: everything
    bool samples = false;  // sample CPU stacks at the default rate
    // PyTorch's profiler can be started from outside (`lanescope attach`). Only one of two
    // profilers can record CUDA, so the recorder leaves it to PyTorch's.
    bool torch_profiler = false;
};

class Recorder {
  public:
    // `program`: the `lanescope` to run. The recorded program has no input, and its output goes to
    // log_file(). Errors: it cannot be started, a folder or file cannot be created, or the name
    // belongs to a file that is not a recording.
    static Result<std::unique_ptr<Recorder>> start(const std::string& program,
                                                   const RecorderStart& start);
    // The destructor lets a running recording continue.
    ~Recorder() = default;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Its exit status, once the program has ended; 128 plus the signal if it was killed.
    std::optional<int> ended();
    // Sends SIGTERM to the program.
    void end_program() const;
    const std::string& file() const { return file_; }
    const std::string& log_file() const { return log_file_; }
    // The first line of output, which says why nothing could be run; empty: none.
    std::string first_line() const;

  private:
    Recorder(std::string file, std::string log_file, pid_t pid);

    std::string file_;
    std::string log_file_;
    pid_t pid_;
    std::optional<int> status_;
};

}  // namespace lanescope
