// Runs other programs, and measures their wall-clock and CPU time.
#pragma once

#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace lanescope::bench {

struct Run {
    std::string output;
    double seconds = 0;
    double cpu_seconds = 0;
};

inline double cpu_seconds(const rusage& usage) {
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

inline double children_cpu() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return cpu_seconds(usage);
}

// Runs a program without a shell, which would add a millisecond.
inline Run run_program(std::vector<std::string> words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    Run run;
    int status = -1;
    rusage usage{};
    run.seconds = seconds_of([&] {
        pid_t child = 0;
        if (posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) == 0)
            wait4(child, &status, 0, &usage);
    });
    if (status != 0)
        throw std::runtime_error("failed: " + fmt::format("{}", fmt::join(words, " ")));
    run.cpu_seconds = cpu_seconds(usage);
    return run;
}

// Runs a shell command. Empty if it fails.
inline std::optional<Run> run_command(const std::string& command) {
    Run run;
    int status = -1;
    const double cpu = children_cpu();
    run.seconds = seconds_of([&] {
        FILE* const pipe = popen(("exec " + command).c_str(), "r");
        if (!pipe) return;
        char buffer[4096];
        for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
            run.output.append(buffer, n);
        status = pclose(pipe);
    });
    run.cpu_seconds = children_cpu() - cpu;
    if (status != 0) return std::nullopt;
    return run;
}

}  // namespace lanescope::bench
