#include "ui/base/worker.h"

#include <malloc.h>

#include <chrono>
#include <utility>

namespace lanescope {

namespace {

constexpr std::chrono::seconds kRest{2};

// Each thread has a heap, and memory freed by its jobs stays there unless it is at the end: 30 MB
// after a minute of flying through a trace, 60 after an hour.
void give_back_freed() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

}  // namespace

Worker::Worker(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { run(); }) {}

Worker::~Worker() {
    {
        const std::scoped_lock lock(mutex_);
        stop_ = true;
        jobs_.clear();
    }
    changed_.notify_one();
    thread_.join();
}

void Worker::post(Job job) {
    {
        const std::scoped_lock lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
}

void Worker::finish_jobs() {
    std::deque<Finish> finished;
    {
        const std::scoped_lock lock(mutex_);
        finished.swap(finished_);
    }
    for (const Finish& finish : finished) {
        if (finish) finish();
    }
}

bool Worker::idle() const {
    const std::scoped_lock lock(mutex_);
    return jobs_.empty() && finished_.empty() && !running_;
}

void Worker::run() {
    std::unique_lock lock(mutex_);
    const auto wanted = [this] { return stop_ || !jobs_.empty(); };
    while (true) {
        if (!changed_.wait_for(lock, kRest, wanted)) {
            lock.unlock();
            give_back_freed();
            lock.lock();
            changed_.wait(lock, wanted);
        }
        if (stop_) return;
        const Job job = std::move(jobs_.front());
        jobs_.pop_front();
        running_ = true;
        lock.unlock();
        Finish finish = job();
        lock.lock();
        running_ = false;
        finished_.push_back(std::move(finish));
        lock.unlock();
        wake_();
        lock.lock();
    }
}

}  // namespace lanescope
