// Runs what may crash or hang (drivers, libraries of others) in a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace lanescope {

struct Contained {
    enum class End : uint8_t { exited, crashed, took_too_long, not_started };

    End end = End::not_started;
    int status = 0;  // the exit status, or the signal that it crashed by
    std::string output;

    bool fine() const { return end == End::exited && status == 0; }
};

// What `work` gives, from a fork of this process, which must have no other threads. What it prints
// itself is lost. It is killed after `limit`, with all that it started.
Contained run_contained(const std::function<std::string()>& work, std::chrono::milliseconds limit);

// What a program prints on stdout; its path, then its arguments. A program that cannot be started
// exits with 127.
Contained run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit);

}  // namespace lanescope
