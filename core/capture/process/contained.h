// Runs code that may crash or hang (drivers, third-party libraries) in a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace lanescope {

struct Contained {
    enum class End : uint8_t { exited, crashed, took_too_long, not_started };

    End end = End::not_started;
    int status = 0;  // the exit status, or the signal of the crash
    std::string output;

    bool fine() const { return end == End::exited && status == 0; }
};

// Returns the output of `work`, run in a fork of this process, which must have no other threads.
// Anything that `work` prints is lost. After `limit`, the fork and all its children are killed.
Contained run_contained(const std::function<std::string()>& work, std::chrono::milliseconds limit);

// Returns what a program prints on stdout. `words`: its path and arguments. The status is 127 if it
// cannot be started.
Contained run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit);

}  // namespace lanescope
