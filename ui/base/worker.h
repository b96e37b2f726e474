// Worker: a thread for work that would block a frame. Jobs run in order; each returns a function
// that uses its result, which runs in the window's thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lanescope {

class Worker {
  public:
    using Finish = std::function<void()>;
    using Job = std::function<Finish()>;

    // The worker's thread calls `wake` when a job has ended.
    explicit Worker(std::function<void()> wake);
    // Drops jobs that have not begun, and waits for a running one.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void post(Job job);
    // Runs the functions returned by ended jobs. Call it once a frame.
    void finish_jobs();
    // Nothing is waiting, running, or left to be finished.
    bool idle() const;

  private:
    void run();

    std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    std::deque<Finish> finished_;
    bool running_ = false;
    bool stop_ = false;
    std::thread thread_;  // the last member: it uses all others
};

}  // namespace lanescope
