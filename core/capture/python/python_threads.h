// The name and the state (running or not) of each thread of a process, from /proc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace lanescope {

struct ThreadNow {
    std::string name;
    bool running = false;  // runs on a processor, or could run if one were free
    int processor = -1;    // where it runs, or ran last; -1: unknown
};

// The contents of /proc/PID/task/TID/stat.
std::optional<ThreadNow> thread_of_stat(std::string_view stat);

// Keeps the files of threads open, since opening one takes longer than reading it.
class ThreadWatch {
  public:
    explicit ThreadWatch(uint32_t pid) : pid_(pid) {}
    ~ThreadWatch();
    ThreadWatch(const ThreadWatch&) = delete;
    ThreadWatch& operator=(const ThreadWatch&) = delete;

    // Empty if the process has no such thread.
    std::optional<ThreadNow> look(uint32_t tid);

  private:
    uint32_t pid_;
    std::unordered_map<uint32_t, int> files_;  // by tid
};

}  // namespace lanescope
