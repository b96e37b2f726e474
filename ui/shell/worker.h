// Worker: one thread for what would hold up a frame. Jobs run in order; each hands back what to do
// with its result, which runs in the window's thread.
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

    // `wake` is called from the worker's thread when a job has ended.
    explicit Worker(std::function<void()> wake);
    // Drops the jobs that have not begun and waits for the one that has.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void post(Job job);
    // Runs what the ended jobs handed back. Call it once a frame.
    void finish_jobs();
    // Nothing waits, runs, or is left to be finished.
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
    std::thread thread_;  // last: it uses all the others
};

}  // namespace lanescope
