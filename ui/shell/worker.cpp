#include "ui/shell/worker.h"

#include <utility>

namespace lanescope {

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
    while (true) {
        changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
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
