// ThreadPool: the threads that the process computes with. A loop borrows idle threads as helpers of
// the thread that calls it; a submitted task has a thread to itself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace lanescope {

// Work that runs in the background. The destructor requests a stop and waits for the end.
class Task {
  public:
    Task() = default;
    ~Task() { end(); }
    Task(Task&&) noexcept = default;
    Task& operator=(Task&& other) noexcept {
        end();
        state_ = std::move(other.state_);
        return *this;
    }

    // Sets the work's stop token, and returns without waiting.
    void request_stop();
    bool is_done() const;
    // Waits for the end, and rethrows what the work threw.
    void wait();

  private:
    friend class ThreadPool;
    struct State {
        std::function<void(std::stop_token)> work;
        std::stop_source stop;
        std::exception_ptr thrown;
        std::atomic<bool> done{false};

        void run();
    };
    explicit Task(std::shared_ptr<State> state) : state_(std::move(state)) {}
    void end();

    std::shared_ptr<State> state_;
};

// Starts threads when they are first needed, and keeps them. Where the system refuses a thread, the
// calling thread does the work.
class ThreadPool {
  public:
    ThreadPool() : ThreadPool(std::thread::hardware_concurrency()) {}
    explicit ThreadPool(unsigned cores) : cores_(cores) {}
    ~ThreadPool();  // waits for tasks
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // Calls work(i) for every i in [0, count), on the calling thread and up to `workers` - 1
    // helpers. All loops together have one helper fewer than there are cores (or than `workers`, if
    // that is more), so loops inside loops do not multiply threads. A loop never waits for a
    // helper that has not joined it. If `work` throws, the remaining calls are skipped, and the
    // first exception is rethrown here after all helpers have left. Allocates nothing once the
    // threads exist; an idle thread joins in some 20 µs.
    template <typename Work>
    void parallel_for(unsigned workers, std::size_t count, const Work& work) {
        Loop loop;
        loop.work = &work;
        loop.call = [](const void* at, std::size_t i) { (*static_cast<const Work*>(at))(i); };
        loop.count = count;
        run(loop, workers);
    }

    // Begins `work` at once on a thread of its own, so it may block for as long as it likes. It
    // should return soon when a stop is requested. Without a thread from the system, runs it
    // before returning.
    [[nodiscard]] Task submit(std::function<void(std::stop_token)> work);

  private:
    struct Loop {
        const void* work = nullptr;
        void (*call)(const void* work, std::size_t i) = nullptr;
        std::size_t count = 0;
        std::atomic<std::size_t> next{0};
        // The pool's mutex guards the members below.
        unsigned wanted = 0;  // helpers that may still join
        unsigned limit = 0;   // helpers of all loops at which no helper joins this loop any more
        std::atomic<unsigned> joined{0};  // read without the mutex by the loop's caller
        std::exception_ptr thrown;
        Loop* older = nullptr;
    };

    void run(Loop& loop, unsigned workers);
    void run_calls(Loop& loop);
    void offer(Loop& loop, unsigned helpers);
    void withdraw(Loop& loop);
    void help(Loop& loop, std::unique_lock<std::mutex>& lock);
    Loop* joinable_loop() const;
    bool start_thread();
    void run_thread();

    const unsigned cores_;
    std::mutex mutex_;
    std::condition_variable work_;       // a task, a loop or the end
    std::condition_variable left_loop_;  // the last helper has left some loop
    std::vector<std::thread> threads_;
    std::deque<std::shared_ptr<Task::State>> tasks_;  // never more than there are idle threads
    Loop* newest_ = nullptr;  // loops that helpers may join; the newest is often inside others
    std::size_t idle_ = 0;    // threads without work, including those that just start or wake up
    unsigned helpers_ = 0;
    bool ending_ = false;
};

}  // namespace lanescope
